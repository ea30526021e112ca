import assert from 'node:assert/strict'
import { execute, q } from '../../src/storage/query.ts'
import { confirmed, mailEnv } from '../notifications/subscribers/mailing.ts'
import { createWindow } from './maintenance.ts'
import { labelled } from './monitors.ts'
import type { Client, TestServer } from './server.ts'
import { createPublished } from './status.ts'
import { createDelivery, createEndpoint } from './webhooks.ts'

/** For a server on which `makeOneOfEach` works. Nothing leaves loopback, where nobody answers on port 9. */
export const oneOfEachEnv = {
  PHAROS_PRIVATE_WEBHOOKS: 'allow',
  PHAROS_DNS_SERVERS: '127.0.0.1:9',
  PHAROS_RDAP_BOOTSTRAP: 'http://127.0.0.1:9/',
  ...mailEnv(9),
}

/** The section of the page that `makeOneOfEach` creates. */
export const SECTION = 'Services'

async function created(client: Client, path: string, body: object): Promise<string> {
  const answer = await client.post(path, body)
  assert.equal(answer.status, 201, `${path} ${JSON.stringify(answer.body)}`)
  return answer.body.id
}

/** One resource of each kind that paths of the API name, by the name of the path parameter. */
export async function makeOneOfEach(
  server: TestServer,
  client: Client,
  orgId: string,
  hookUrl: string,
): Promise<Readonly<Record<string, string>>> {
  const monitor = await labelled(client, { team: 'pay', env: 'prod' })
  const contactId = await created(client, '/contacts', { name: 'Hook', channel: 'WEBHOOK', settings: { url: hookUrl } })
  assert.equal((await fetch(`${server.url}${new URL(monitor.heartbeatUrl).pathname}/fail`)).status, 200)
  const incidentId = (await client.get(`/incidents?monitorId=${monitor.id}`)).body.data[0].id
  const statusPageId = await created(client, '/status-pages', {
    name: 'Status',
    customDomain: `${monitor.id.replace('_', '-')}.example`,
    sections: [{ name: SECTION, monitors: [{ monitorId: monitor.id }] }],
  })
  const subscriber = confirmed(orgId, statusPageId, monitor.id, `${monitor.id}@example.com`)
  await server.running.database.write(() => execute(q.insertInto('subscribers').values(subscriber)))
  const endpoint = await createEndpoint(client, { eventTypes: ['webhook.test'] })
  return {
    monitorId: monitor.id,
    labelKey: 'team',
    contactId,
    incidentId,
    noteId: await created(client, `/incidents/${incidentId}/notes`, { body: 'Investigating' }),
    statusPageId,
    statusIncidentId: (await createPublished(client, statusPageId)).id,
    subscriberId: subscriber.id,
    maintenanceId: (await createWindow(client)).id,
    endpointId: endpoint.id,
    deliveryId: (await createDelivery(client, endpoint.id)).id,
    shadowRunId: await shadowRun(client),
  }
}

/** An organization has at most one run of each tool. */
async function shadowRun(client: Client): Promise<string> {
  const { body } = await client.get('/shadow-runs')
  return body.data[0]?.id ?? created(client, '/shadow-runs', { tool: 'GATUS', url: 'http://127.0.0.1:9/' })
}
