import { execute, q } from '../../src/storage/query.ts'
import type { Api, Tenant } from './api.ts'
import { createMonitor, type MonitorBody, smallest, unchangedBy } from './monitors.ts'
import { bodyOf, type Client, type TestServer } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: a resource as it came, to be looked at
export type Body = Record<string, any>

/** Creates a status page that must be accepted. */
export async function createPage(client: Client, body: Body = {}): Promise<Body> {
  return bodyOf(await client.post('/status-pages', { name: 'Shop', ...body }), 201)
}

export async function currentPage(client: Client, id: string): Promise<Body> {
  return bodyOf(await client.get(`/status-pages/${id}`))
}

/** A section that shows these monitors. */
export function showing(...monitors: readonly MonitorBody[]): Body {
  return { name: 'All', monitors: monitors.map(({ id }) => ({ monitorId: id })) }
}

/** Publishes an incident that must be accepted. */
export async function createPublished(client: Client, pageId: string, body: Body = {}): Promise<Body> {
  const wanted = { title: 'Slow', message: 'We are looking into it.', statusPageIds: [pageId], ...body }
  return bodyOf(await client.post('/status-incidents', wanted), 201)
}

export async function currentPublished(client: Client, id: string): Promise<Body> {
  return bodyOf(await client.get(`/status-incidents/${id}`))
}

/** Posts an update that must be accepted; returns the published incident. */
export async function posted(client: Client, id: string, body: Body = {}): Promise<Body> {
  return bodyOf(
    await client.post(`/status-incidents/${id}/updates`, {
      status: 'MONITORING',
      message: 'A fix is in place.',
      ...body,
    }),
    201,
  )
}

export interface StatusTenant extends Tenant {
  readonly monitor: MonitorBody
  readonly page: Body
  readonly published: Body
}

/** An organization with a monitor, a page that shows it, and a published incident that affects it. */
export async function tenantWithPage(api: Api): Promise<StatusTenant> {
  const tenant = await api.tenant()
  const { client } = tenant
  const monitor = await createMonitor(client, smallest('CRON'))
  const page = await createPage(client, { sections: [showing(monitor)] })
  const affectedMonitors = [{ monitorId: monitor.id, status: 'DEGRADED' }]
  const published = await createPublished(client, page.id, { affectedMonitors })
  return { ...tenant, monitor, page: await currentPage(client, page.id), published }
}

/** Asserts that `action` changes no page or published incident of the organization. */
export function untouchedBy<T>(client: Client, action: () => Promise<T>): Promise<T> {
  return unchangedBy(client, action, ['/status-pages', '/status-incidents'])
}

/** Sets what status pages read about a monitor. */
export async function setState({ running }: TestServer, monitor: MonitorBody, state: string): Promise<void> {
  await running.database.write(() =>
    execute(
      q
        .updateTable('monitor_states')
        .set({ state: state as 'UP' })
        .where('num', 'in', (of) => of.selectFrom('monitors').select('num').where('id', '=', monitor.id)),
    ),
  )
}
