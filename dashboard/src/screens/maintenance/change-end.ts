import type { Clients } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import type { Window } from './draft.ts'

/** Extends the running occurrence. For a recurring window, the extra time becomes a separate window. */
export async function extend(api: Clients['api'], window: Window, byMs: number): Promise<Window> {
  const { currentOccurrence: current } = window
  if (current === null) throw new Error(t('The window is no longer in progress'))
  const later = new Date(Date.parse(current.endsAt) + byMs).toISOString()
  if (window.recurrence === 'NONE') return change(api, window.id, { endsAt: later })
  const { timezone, monitorIds, allMonitors, statusPageIds, description } = window
  const name = t('{value} (extended)', { value: window.name.slice(0, 108) })
  const body = { name, description, timezone, monitorIds, allMonitors, statusPageIds }
  return api.POST('/api/v1/maintenance-windows', { body: { ...body, startsAt: current.endsAt, endsAt: later } })
}

/**
 * Ends the running occurrence. A recurring window continues with its next occurrence: its start is moved there, which keeps the
 * recurrence. Without a next occurrence it becomes a one-time window that ends now.
 */
export async function endNow(api: Clients['api'], window: Window): Promise<Window> {
  const { currentOccurrence: current, nextOccurrence: next } = window
  if (current === null) throw new Error(t('The window is no longer in progress'))
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
  return api.PATCH('/api/v1/maintenance-windows/{maintenanceId}', { path: { maintenanceId }, body })
}
