import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { type OperationGroup, testOutcomes } from '../../support/outcomes.ts'
import type { Answer, Client } from '../../support/server.ts'
import { setSubscription } from '../../support/tables.ts'
import { currentIncident, tenantWithIncident, untouchedBy } from './incidents.ts'

const group: OperationGroup<'incident'> = {
  resources: ['incident'],
  tenant: tenantWithIncident,
  unchangedBy: untouchedBy,
  operations: [
    { name: 'list incidents', method: 'GET', path: () => '/incidents', status: 200 },
    { name: 'get an incident', method: 'GET', path: ({ incident }) => `/incidents/${incident.id}`, status: 200 },
    {
      name: 'acknowledge an incident',
      method: 'POST',
      path: ({ incident }) => `/incidents/${incident.id}/acknowledge`,
      status: 200,
    },
  ],
}

const NEVER = `inc_${'0'.repeat(32)}`

function acknowledge(client: Client, id: string, headers: Record<string, string> = {}): Promise<Answer> {
  return client.send('POST', `/incidents/${id}/acknowledge`, undefined, headers)
}

forEachEngine('incident operations', (engine) => {
  const api = useApi(engine)
  testOutcomes(api, group)

  test('deleting a monitor deletes its incidents', async () => {
    const { client, incident, monitor } = await tenantWithIncident(api)
    assert.equal((await client.delete(`/monitors/${monitor.id}`)).status, 200)
    expectError(await client.get(`/incidents/${incident.id}`), 'not_found')
    expectError(await acknowledge(client, incident.id), 'not_found')
  })

  test('permission and subscription are checked before the incident is looked up', async () => {
    const { client, orgId, reader } = await tenantWithIncident(api)
    expectError(await acknowledge(await reader(), NEVER), 'forbidden')
    await setSubscription(api.server, orgId, 'inactive')
    expectError(await acknowledge(client, NEVER), 'subscription_required')
  })

  test('a body of another content type is 400 and changes nothing', async () => {
    const { client, incident } = await tenantWithIncident(api)
    const headers = { 'content-type': 'text/plain' }
    const path = `/incidents/${incident.id}/acknowledge`
    assert.equal((await untouchedBy(client, () => client.send('POST', path, '{}', headers))).status, 400)
  })

  test('malformed idempotency keys are rejected', async () => {
    const { client, incident } = await tenantWithIncident(api)
    for (const key of ['', 'a b', 'x'.repeat(201), 'ä']) {
      expectError(await acknowledge(client, incident.id, { 'idempotency-key': key }), 'invalid_idempotency_key')
    }
  })

  test('a rejected acknowledgement does not use its idempotency key', async () => {
    const { client, incident, orgId } = await tenantWithIncident(api)
    const headers = { 'idempotency-key': 'again' }
    await setSubscription(api.server, orgId, 'inactive')
    expectError(await acknowledge(client, incident.id, headers), 'subscription_required')
    await setSubscription(api.server, orgId, 'active')
    expectError(await acknowledge(client, NEVER, headers), 'not_found')
    const answer = await acknowledge(client, incident.id, headers)
    assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [200, null])
    assert.equal((await currentIncident(client, incident.id)).acknowledged, true)
  })
})
