import { canonicalJson } from '../../lib/json.ts'
import type { MaintenanceTable } from '../../storage/schema-maintenance.ts'
import type { Timing } from '../maintenance-coverage/types.ts'
import type { MaintenancePatch, NewMaintenanceWindow } from './schema.ts'

/** Everything that a user set of a window. */
export interface WindowSettings extends Timing {
  readonly name: string
  readonly description: string | null
  readonly monitorIds: readonly string[]
  readonly allMonitors: boolean
  readonly statusPageIds: readonly string[]
}

/** A moment that the contract accepted. Date would not know what to make of a leap second. */
export function momentIn(text: string): number {
  return Temporal.Instant.from(text).epochMilliseconds
}

export function settingsIn(body: NewMaintenanceWindow): WindowSettings {
  return { ...body, ...readMoments(body) } as WindowSettings
}

export function patched(settings: WindowSettings, patch: MaintenancePatch): WindowSettings {
  return { ...settings, ...patch, ...readMoments(patch) } as WindowSettings
}

/** Time zones are known in any case, and kept as they are written. */
function readMoments({ startsAt, endsAt, recurrenceEndsAt, timezone }: MaintenancePatch): Partial<WindowSettings> {
  return {
    ...(startsAt !== undefined && { startsAt: momentIn(startsAt) }),
    ...(endsAt !== undefined && { endsAt: momentIn(endsAt) }),
    ...(recurrenceEndsAt && { recurrenceEndsAt: momentIn(recurrenceEndsAt) }),
    ...(timezone !== undefined && { timezone: new Temporal.ZonedDateTime(0n, timezone).timeZoneId }),
  }
}

/** The names of the fields that have another value now. */
export function changedFields(before: WindowSettings, after: WindowSettings): ReadonlySet<string> {
  const names = Object.keys(after) as (keyof WindowSettings)[]
  return new Set(names.filter((name) => canonicalJson(before[name]) !== canonicalJson(after[name])))
}

export type MaintenanceRow = Omit<MaintenanceTable, 'org_id' | 'seq'>

export function timingOf(row: MaintenanceRow): Timing {
  return {
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    timezone: row.timezone,
    recurrence: row.recurrence,
    recurrenceInterval: row.recurrence_interval,
    daysOfWeek: JSON.parse(row.days_of_week),
    daysOfMonth: JSON.parse(row.days_of_month),
    recurrenceEndsAt: row.recurrence_ends_at,
  }
}

export function settingsOf(row: MaintenanceRow): WindowSettings {
  return {
    ...timingOf(row),
    name: row.name,
    description: row.description,
    monitorIds: JSON.parse(row.monitor_ids),
    allMonitors: row.all_monitors === 1,
    statusPageIds: JSON.parse(row.status_page_ids),
  }
}

export function columnsOf(settings: WindowSettings) {
  return {
    name: settings.name,
    description: settings.description,
    starts_at: settings.startsAt,
    ends_at: settings.endsAt,
    timezone: settings.timezone,
    recurrence: settings.recurrence,
    recurrence_interval: settings.recurrenceInterval,
    days_of_week: JSON.stringify(settings.daysOfWeek),
    days_of_month: JSON.stringify(settings.daysOfMonth),
    recurrence_ends_at: settings.recurrenceEndsAt,
    monitor_ids: JSON.stringify(settings.monitorIds),
    all_monitors: settings.allMonitors ? 1 : 0,
    status_page_ids: JSON.stringify(settings.statusPageIds),
  }
}
