import assert from 'node:assert/strict'
import type { Api, Tenant } from '../../support/api.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, type MonitorBody, smallest } from '../../support/monitors.ts'
import { bodyOf, type Client } from '../../support/server.ts'
import { type HttpTarget, startHttpTarget } from '../../support/targets.ts'

// biome-ignore lint/suspicious/noExplicitAny: a resource of any shape
export type Body = Record<string, any>

/** What the list shows of an incident. */
export function listed(detail: Body): Body {
  const { id, monitor, startedAt, resolvedAt, durationSec, cause, acknowledged } = detail
  return { id, monitor, startedAt, resolvedAt, durationSec, cause, acknowledged }
}

export async function currentIncident(client: Client, id: string): Promise<Body> {
  return bodyOf(await client.get(`/incidents/${id}`))
}

export async function pageOf(client: Client, query = ''): Promise<{ data: Body[]; pagination: Body }> {
  return bodyOf(await client.get(`/incidents${query === '' ? '' : `?${query}`}`))
}

export async function acknowledged(client: Client, id: string): Promise<Body> {
  return bodyOf(await client.post(`/incidents/${id}/acknowledge`))
}

/** Checks a monitor and returns it. */
export async function check(client: Client, id: string): Promise<MonitorBody> {
  return bodyOf(await client.post(`/monitors/${id}/check`, {}))
}

/**
 * Checks a monitor that must be DOWN, and returns its open incident. On a busy machine a thread may stall and make a check
 * inconclusive; then it is repeated.
 */
export async function outage(client: Client, id: string): Promise<Body> {
  await eventually(async () => assert.equal((await check(client, id)).state, 'DOWN'))
  const { data } = await pageOf(client, `monitorId=${id}&status=ONGOING`)
  assert.equal(data.length, 1, 'a monitor that is DOWN has one open incident')
  return currentIncident(client, data[0]?.id)
}

/** A monitor of a target that answers 503 from now on. */
export async function shaky(client: Client, target: HttpTarget, extra: MonitorBody = {}): Promise<MonitorBody> {
  target.status = 503
  return createMonitor(client, smallest('HTTP', { url: target.url, ...extra }))
}

/** An organization with a monitor that is DOWN and its open incident. */
export async function tenantWithIncident(api: Api): Promise<Tenant & { monitor: MonitorBody; incident: Body }> {
  await using target = await startHttpTarget()
  const tenant = await api.tenant()
  const monitor = await shaky(tenant.client, target)
  return { ...tenant, monitor, incident: await outage(tenant.client, monitor.id) }
}

/** `action` changes no incident of the organization. */
export async function untouchedBy<T>(client: Client, action: () => Promise<T>): Promise<T> {
  const look = async (): Promise<Body[]> => {
    const { data } = await pageOf(client, 'limit=100')
    return Promise.all(data.map(({ id }) => currentIncident(client, id)))
  }
  const before = await look()
  const result = await action()
  assert.deepEqual(await look(), before, 'something changed')
  return result
}
