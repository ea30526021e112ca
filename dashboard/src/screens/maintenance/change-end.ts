import { type Clients, unwrap } from '../../api/client.ts'
import type { Window } from './draft.ts'

/** Makes what is under way longer. Of a window that repeats, this time alone: what is added becomes a window of its own. */
export async function extend(api: Clients['api'], window: Window, byMs: number): Promise<Window> {
  const { currentOccurrence: current } = window
  if (current === null) throw new Error('The window is not under way any more')
  const later = new Date(Date.parse(current.endsAt) + byMs).toISOString()
  if (window.recurrence === 'NONE') return change(api, window.id, { endsAt: later })
  const { timezone, monitorIds, allMonitors, statusPageIds, description } = window
  const name = `${window.name.slice(0, 108)} (extended)`
  const body = { name, description, timezone, monitorIds, allMonitors, statusPageIds }
  return unwrap(api.POST('/api/v1/maintenance-windows', { body: { ...body, startsAt: current.endsAt, endsAt: later } }))
}

/**
 * Ends what is under way. A window that repeats goes on with its next time: its beginning is moved there, which leaves the rhythm
 * as it is; where there is no next time it becomes one that took place once, until now.
 */
export async function endNow(api: Clients['api'], window: Window): Promise<Window> {
  const { currentOccurrence: current, nextOccurrence: next } = window
  if (current === null) throw new Error('The window is not under way any more')
  const now = new Date().toISOString()
  if (window.recurrence === 'NONE') return change(api, window.id, { endsAt: now })
  if (next !== null) return change(api, window.id, { startsAt: next.startsAt, endsAt: next.endsAt })
  return change(api, window.id, { recurrence: 'NONE', recurrenceEndsAt: null, startsAt: current.startsAt, endsAt: now })
}

function change(
  api: Clients['api'],
  maintenanceId: string,
  body: Partial<Pick<Window, 'startsAt' | 'endsAt' | 'recurrence' | 'recurrenceEndsAt'>>,
): Promise<Window> {
  return unwrap(api.PATCH('/api/v1/maintenance-windows/{maintenanceId}', { params: { path: { maintenanceId } }, body }))
}
