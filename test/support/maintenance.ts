import type { Api, Tenant } from './api.ts'
import { createMonitor, type MonitorBody, smallest, unchangedBy } from './monitors.ts'
import { bodyOf, type Client } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: a resource as it came, to be looked at
export type Body = Record<string, any>

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

export const text = (at: number): string => new Date(at).toISOString()

/** One hour, starting this long after `now`. */
export function hourFrom(now: number, inMs: number, lengthMs = HOUR): Body {
  return { startsAt: text(now + inMs), endsAt: text(now + inMs + lengthMs) }
}

/** One hour tomorrow, for all monitors. */
export function smallestWindow(extra: Body = {}): Body {
  return { name: 'Upgrade', ...hourFrom(Date.now(), DAY), allMonitors: true, ...extra }
}

/** Creates a window that must be accepted. */
export async function createWindow(client: Client, extra: Body = {}): Promise<Body> {
  return bodyOf(await client.post('/maintenance-windows', smallestWindow(extra)), 201)
}

export async function currentWindow(client: Client, id: string): Promise<Body> {
  return bodyOf(await client.get(`/maintenance-windows/${id}`))
}

export async function changedWindow(client: Client, id: string, patch: Body): Promise<Body> {
  return bodyOf(await client.patch(`/maintenance-windows/${id}`, patch))
}

/** An organization with a monitor and a window over it. */
export async function tenantWithWindow(api: Api): Promise<Tenant & { monitor: MonitorBody; window: Body }> {
  const tenant = await api.tenant()
  const monitor = await createMonitor(tenant.client, smallest('CRON'))
  const window = await createWindow(tenant.client, { allMonitors: false, monitorIds: [monitor.id] })
  return { ...tenant, monitor, window }
}

/** Asserts that `action` changes no window of the organization. */
export function untouchedBy<T>(client: Client, action: () => Promise<T>): Promise<T> {
  return unchangedBy(client, action, ['/maintenance-windows'])
}
