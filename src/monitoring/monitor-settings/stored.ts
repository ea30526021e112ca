import type { MonitorOptions } from '../../contract/check-options.ts'
import { parseStored } from '../../lib/json.ts'
import { foldCase } from '../../lib/text.ts'
import { targetText } from './rules.ts'
import { defaultSettings, type MonitorSettings } from './schema.ts'
import type { ProtectedSettings } from './secrets.ts'

/** Settings that queries use, in columns of their own. */
export interface TimingColumns {
  readonly type: string
  readonly interval_seconds: number
  readonly expected_period_seconds: number | null
  readonly grace_seconds: number
  /** The options as JSON, with masked secrets: a CRON monitor may have a schedule. */
  readonly options: string | null
}

/** A monitor's settings as its row stores them, with masked secrets. The columns above are not repeated in the JSON. */
export interface SettingsColumns extends TimingColumns {
  readonly name: string
  readonly settings: string
}

export const timingColumns = [
  'm.type',
  'm.interval_seconds',
  'm.expected_period_seconds',
  'm.grace_seconds',
  'm.options',
] as const
export const settingsColumns = ['m.name', ...timingColumns, 'm.settings'] as const

/** What the monitor list is searched and sorted by. */
export interface ListKeys {
  readonly name_key: string
  readonly target_key: string | null
}

export function columnsOf({ masked, options }: ProtectedSettings): SettingsColumns & ListKeys {
  const target = targetText(masked)
  const { name, type, intervalSeconds, expectedPeriodSec, graceSeconds, ...others } = masked
  return {
    name,
    name_key: foldCase(name),
    target_key: target === null ? null : foldCase(target),
    type,
    interval_seconds: intervalSeconds,
    expected_period_seconds: expectedPeriodSec,
    grace_seconds: graceSeconds,
    settings: JSON.stringify(others),
    options,
  }
}

/** A row that was written before a field existed has its default. The order is that of the API's fields. */
const defaults = { name: '', type: '', ...defaultSettings } as unknown as MonitorSettings

/** Complete settings, in the form of a creation's body, with masked secrets. */
export function settingsIn(row: SettingsColumns): MonitorSettings {
  return { ...defaults, name: row.name, ...timingSettingsIn(row), ...parseStored(row.settings) }
}

/** The timing of a monitor's checks, with the schedule of a CRON monitor that has one. */
export function timingIn(row: TimingColumns): TimingSettings & Pick<MonitorOptions, 'schedule'> {
  const { schedule } = (row.options === null ? {} : parseStored(row.options)) as MonitorOptions
  return schedule === undefined ? timingSettingsIn(row) : { ...timingSettingsIn(row), schedule }
}

type TimingSettings = ReturnType<typeof timingSettingsIn>

function timingSettingsIn(row: TimingColumns) {
  return {
    type: row.type as MonitorSettings['type'],
    intervalSeconds: row.interval_seconds,
    expectedPeriodSec: row.expected_period_seconds,
    graceSeconds: row.grace_seconds,
  }
}
