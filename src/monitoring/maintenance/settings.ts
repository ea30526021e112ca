import { canonicalJson, parseStored } from '../../lib/json.ts'
import { parseTimestamp } from '../../lib/timestamp.ts'
import type { MaintenanceTable } from '../../storage/schema/maintenance.ts'
import type { WindowTiming } from '../maintenance-coverage/types.ts'
import type { MaintenancePatch, NewMaintenanceWindow } from './schema.ts'

/** The fields that users can set. */
export interface WindowSettings extends WindowTiming {
  readonly name: string
  readonly description: string | null
  readonly monitorIds: readonly string[]
  readonly allMonitors: boolean
  readonly statusPageIds: readonly string[]
}

export function settingsFrom(body: Omit<NewMaintenanceWindow, 'selector'>): WindowSettings {
  return { ...body, ...parseTimes(body) } as WindowSettings
}

export function applyPatch(settings: WindowSettings, patch: Omit<MaintenancePatch, 'selector'>): WindowSettings {
  return { ...settings, ...patch, ...parseTimes(patch) } as WindowSettings
}

/** Time zones are accepted in any case and stored in their canonical case. */
function parseTimes({
  startsAt,
  endsAt,
  recurrenceEndsAt,
  timezone,
}: Omit<MaintenancePatch, 'selector'>): Partial<WindowSettings> {
  return {
    ...(startsAt !== undefined && { startsAt: parseTimestamp(startsAt) }),
    ...(endsAt !== undefined && { endsAt: parseTimestamp(endsAt) }),
    ...(recurrenceEndsAt && { recurrenceEndsAt: parseTimestamp(recurrenceEndsAt) }),
    ...(timezone !== undefined && { timezone: new Temporal.ZonedDateTime(0n, timezone).timeZoneId }),
  }
}

export function changedFields(before: WindowSettings, after: WindowSettings): Set<string> {
  const names = Object.keys(after) as (keyof WindowSettings)[]
  return new Set(names.filter((name) => canonicalJson(before[name]) !== canonicalJson(after[name])))
}

export type MaintenanceRow = MaintenanceTable

export function timingOf(row: MaintenanceRow): WindowTiming {
  return {
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    timezone: row.timezone,
    recurrence: row.recurrence,
    recurrenceInterval: row.recurrence_interval,
    daysOfWeek: parseStored(row.days_of_week),
    daysOfMonth: parseStored(row.days_of_month),
    recurrenceEndsAt: row.recurrence_ends_at,
  }
}

export function settingsOf(row: MaintenanceRow): WindowSettings {
  return {
    ...timingOf(row),
    name: row.name,
    description: row.description,
    monitorIds: parseStored(row.monitor_ids),
    allMonitors: row.all_monitors === 1,
    statusPageIds: parseStored(row.status_page_ids),
  }
}
