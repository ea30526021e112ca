import { shortenUrl } from '../../src/lib/mask.ts'
import { execute, q } from '../../src/storage/query.ts'
import type { EndpointTable } from '../../src/storage/schema/webhooks.ts'
import { unchangedBy } from './monitors.ts'
import { bodyOf, type Client, type TestServer } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: a resource as it came, to be looked at
export type Body = Record<string, any>

export const RECEIVER = 'https://hooks.example/pharos'

/** Creates an endpoint that must be accepted; the response has its secret. */
export async function createEndpoint(client: Client, extra: Body = {}): Promise<Body> {
  return bodyOf(await client.post('/webhook-endpoints', { url: RECEIVER, ...extra }), 201)
}

/** The endpoint without its secret, which only its creation returns. */
export function withoutSecret({ secret: _, ...endpoint }: Body): Body {
  return endpoint
}

/** As readers and events see it: without the path of its URL. */
export function asReadersSee(endpoint: Body): Body {
  return { ...endpoint, url: shortenUrl(endpoint.url) }
}

export async function currentEndpoint(client: Client, id: string): Promise<Body> {
  return bodyOf(await client.get(`/webhook-endpoints/${id}`))
}

/** Sends a test event to an endpoint; returns the delivery. */
export async function createDelivery(client: Client, endpointId: string): Promise<Body> {
  return bodyOf(await client.post(`/webhook-endpoints/${endpointId}/test`))
}

export async function currentDelivery(client: Client, id: string): Promise<Body> {
  return bodyOf(await client.get(`/webhook-deliveries/${id}`))
}

export async function deliveries(client: Client, query = ''): Promise<Body[]> {
  return bodyOf(await client.get(`/webhook-deliveries?limit=100${query}`)).data
}

/** The payloads of all deliveries, the oldest first. */
export async function sentEvents(client: Client): Promise<Body[]> {
  const list = (await deliveries(client)).toReversed()
  return Promise.all(list.map(async ({ id }) => (await currentDelivery(client, id)).payload))
}

/** Finishes a delivery like the sender after its last attempt. */
export async function settle(
  { running }: { readonly running: Pick<TestServer['running'], 'database'> },
  id: string,
  status: 'SUCCEEDED' | 'FAILED',
  at = Date.now(),
): Promise<void> {
  await running.database.write(() =>
    execute(
      q
        .updateTable('webhook_deliveries')
        .set({ status, next_attempt_at: null, completed_at: at, attempt_count: 1, last_response_status: 500 })
        .where('id', '=', id),
    ),
  )
}

/** Changes an endpoint directly in the database. */
export async function setEndpoint({ running }: TestServer, id: string, to: Partial<EndpointTable>): Promise<void> {
  await running.database.write(() => execute(q.updateTable('webhook_endpoints').set(to).where('id', '=', id)))
}

export async function endpointRow({ running }: TestServer, id: string): Promise<EndpointTable> {
  const [row] = await running.database.read(execute(q.selectFrom('webhook_endpoints').selectAll().where('id', '=', id)))
  return row as EndpointTable
}

/** Asserts that `action` changes no endpoint or delivery of the organization. */
export function untouchedBy<T>(client: Client, action: () => Promise<T>): Promise<T> {
  return unchangedBy(client, action, ['/webhook-endpoints', '/webhook-deliveries'])
}
