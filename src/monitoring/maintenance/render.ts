import type { Static } from 'typebox'
import { momentText } from '../../lib/moment.ts'
import { monthDaysOf, weekdaysOf } from '../maintenance-coverage/days.ts'
import { phaseAt, wallClock } from '../maintenance-coverage/occurrences.ts'
import type { Occurrence, Timing } from '../maintenance-coverage/types.ts'
import type { MaintenanceWindow } from './schema.ts'
import { type MaintenanceRow, settingsOf } from './settings.ts'

/** A window as the API shows it at a moment: how it stands follows from the clock, not from what was last written. */
export function renderWindow(row: MaintenanceRow, at: number): Static<typeof MaintenanceWindow> {
  const settings = settingsOf(row)
  const { status, current, next } = phaseAt(settings, at)
  return {
    id: row.id,
    name: settings.name,
    description: settings.description,
    startsAt: momentText(settings.startsAt),
    endsAt: momentText(settings.endsAt),
    timezone: settings.timezone,
    recurrence: settings.recurrence,
    recurrenceInterval: settings.recurrenceInterval,
    ...daysOf(settings),
    recurrenceEndsAt: settings.recurrenceEndsAt === null ? null : momentText(settings.recurrenceEndsAt),
    monitorIds: [...settings.monitorIds],
    allMonitors: settings.allMonitors,
    statusPageIds: [...settings.statusPageIds],
    status,
    currentOccurrence: occurrenceText(current),
    nextOccurrence: occurrenceText(next),
    createdAt: momentText(row.created_at),
    updatedAt: momentText(row.updated_at),
  }
}

/** Where the day of the start stands in for days that were not named, it is shown. */
function daysOf(timing: Timing): { daysOfWeek: number[]; daysOfMonth: number[] } {
  const { recurrence, startsAt, timezone, daysOfWeek, daysOfMonth } = timing
  const first = () => wallClock(startsAt, timezone).day
  return {
    daysOfWeek: [...(recurrence === 'WEEKLY' ? weekdaysOf(timing, first()) : daysOfWeek)],
    daysOfMonth: [...(recurrence === 'MONTHLY' ? monthDaysOf(timing, first()) : daysOfMonth)],
  }
}

function occurrenceText(occurrence: Occurrence | null): { startsAt: string; endsAt: string } | null {
  return occurrence && { startsAt: momentText(occurrence.startsAt), endsAt: momentText(occurrence.endsAt) }
}
