import type { Static } from 'typebox'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import { monthDaysOf, weekdaysOf } from '../maintenance-coverage/days.ts'
import { phaseAt, wallClock } from '../maintenance-coverage/occurrences.ts'
import type { Occurrence, WindowTiming } from '../maintenance-coverage/types.ts'
import type { MaintenanceWindow } from './schema.ts'
import { type MaintenanceRow, settingsOf, type WindowSettings } from './settings.ts'

/** A window as the API returns it. Its status is computed for `at`; the stored status can be a moment old. */
export function renderWindow(row: MaintenanceRow, at: number): Static<typeof MaintenanceWindow> {
  const settings = settingsOf(row)
  const { status, current, next } = phaseAt(settings, at)
  return {
    id: row.id,
    ...renderSettings(settings),
    ...daysOf(settings),
    status,
    currentOccurrence: occurrenceText(current),
    nextOccurrence: occurrenceText(next),
    createdAt: isoTimestamp(row.created_at),
    updatedAt: isoTimestamp(row.updated_at),
  }
}

/** What a user sets, in the form of the API. */
export function renderSettings(settings: WindowSettings) {
  return {
    name: settings.name,
    description: settings.description,
    startsAt: isoTimestamp(settings.startsAt),
    endsAt: isoTimestamp(settings.endsAt),
    timezone: settings.timezone,
    recurrence: settings.recurrence,
    recurrenceInterval: settings.recurrenceInterval,
    daysOfWeek: [...settings.daysOfWeek],
    daysOfMonth: [...settings.daysOfMonth],
    recurrenceEndsAt: isoTimestampOrNull(settings.recurrenceEndsAt),
    monitorIds: [...settings.monitorIds],
    allMonitors: settings.allMonitors,
    statusPageIds: [...settings.statusPageIds],
  }
}

/** Without explicit days, the day of the start is returned. */
function daysOf(timing: WindowTiming): { daysOfWeek: number[]; daysOfMonth: number[] } {
  const { recurrence, startsAt, timezone, daysOfWeek, daysOfMonth } = timing
  const first = () => wallClock(startsAt, timezone).day
  return {
    daysOfWeek: [...(recurrence === 'WEEKLY' ? weekdaysOf(timing, first()) : daysOfWeek)],
    daysOfMonth: [...(recurrence === 'MONTHLY' ? monthDaysOf(timing, first()) : daysOfMonth)],
  }
}

function occurrenceText(occurrence: Occurrence | null): { startsAt: string; endsAt: string } | null {
  return occurrence && { startsAt: isoTimestamp(occurrence.startsAt), endsAt: isoTimestamp(occurrence.endsAt) }
}
