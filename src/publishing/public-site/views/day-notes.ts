import { DAY_MS } from '../../../lib/clock.ts'
import { parseStored } from '../../../lib/json.ts'
import type { PublishedRow } from '../../published-incidents/render.ts'
import type { Affected } from '../../published-incidents/schema.ts'

/** Titles of incidents by day, counted from the first day of the bars. */
export type NotesOfMonitor = ReadonlyMap<number, readonly string[]>
/** By monitor id. */
export type DayNotes = ReadonlyMap<string, NotesOfMonitor>

/** Per day and monitor; the page of the day lists all. */
const MAX_TITLES = 3
const MAX_TITLE_LENGTH = 80

/** Which published incidents affected which monitor on which day. */
export function dayNotesOf(rows: readonly PublishedRow[], firstDayAt: number, now: number): DayNotes {
  const notes = new Map<string, Map<number, string[]>>()
  const seen = new Set<string>()
  for (const { id, title, affected, started_at: from, resolved_at: to } of rows) {
    if (seen.has(id)) continue
    seen.add(id)
    const first = Math.max(0, dayIndex(from, firstDayAt))
    const last = dayIndex(Math.min(to ?? now, now), firstDayAt)
    for (const { monitorId } of parseStored(affected) as Affected[]) {
      const ofMonitor = notes.get(monitorId) ?? new Map<number, string[]>()
      notes.set(monitorId, ofMonitor)
      for (let day = first; day <= last; day += 1) addTitle(ofMonitor, day, title)
    }
  }
  return notes
}

function dayIndex(at: number, firstDayAt: number): number {
  return Math.floor((at - firstDayAt) / DAY_MS)
}

function addTitle(notes: Map<number, string[]>, day: number, title: string): void {
  const titles = notes.get(day)
  const short = title.length > MAX_TITLE_LENGTH ? `${title.slice(0, MAX_TITLE_LENGTH)}…` : title
  if (titles === undefined) notes.set(day, [short])
  else if (titles.length < MAX_TITLES) titles.push(short)
}
