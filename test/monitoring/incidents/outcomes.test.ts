import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import type { Answer, Client } from '../../support/server.ts'
import { setSubscription } from '../../support/tables.ts'
import { currentIncident, said, tenantWithIncident, untouchedBy } from './incidents.ts'

interface IncidentOperation {
  readonly name: string
  readonly method: 'GET' | 'POST'
  readonly path: (id: string) => string
}

const list: IncidentOperation = { name: 'list', method: 'GET', path: () => '/incidents' }
const get: IncidentOperation = { name: 'get', method: 'GET', path: (id) => `/incidents/${id}` }
const acknowledge: IncidentOperation = {
  name: 'acknowledge',
  method: 'POST',
  path: (id) => `/incidents/${id}/acknowledge`,
}

const NEVER = `inc_${'0'.repeat(32)}`

function send(
  client: Client,
  { method, path }: IncidentOperation,
  id: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return client.send(method, path(id), undefined, headers)
}

/** The outcomes that the operations share, each with what must not have happened. */
forEachEngine('incident operations', (engine) => {
  const api = useApi(engine)
  for (const operation of [list, get, acknowledge]) {
    refusedWithoutKey(operation, api)
    refusesOtherMethods(operation, api)
  }
  for (const operation of [list, get]) openToReaders(operation, api)
  for (const operation of [get, acknowledge]) unknownIncidents(operation, api)
  acknowledging(api)
  acknowledgingOnce(api)
})

function refusedWithoutKey(operation: IncidentOperation, api: Api): void {
  test(`${operation.name} without a valid key is 401 and does nothing`, async () => {
    const { client, incident, key } = await tenantWithIncident(api)
    await untouchedBy(client, async () => {
      for (const headers of [
        {},
        { 'x-api-key': `${key}x` },
        { 'x-api-key': key, authorization: `Bearer ${key}` },
      ] as const) {
        expectError(await send(api.clientWith({ ...headers }), operation, incident.id), 'unauthorized')
      }
    })
  })
}

function refusesOtherMethods(operation: IncidentOperation, api: Api): void {
  test(`${operation.name}: its path says which methods it has`, async () => {
    const { client, incident } = await tenantWithIncident(api)
    await untouchedBy(client, async () => {
      for (const method of ['PUT', 'PATCH', 'DELETE', operation.method === 'GET' ? 'POST' : 'GET']) {
        const answer = await client.send(method, operation.path(incident.id), method === 'GET' ? undefined : {})
        assert.equal(answer.status, 405, method)
        assert.equal(answer.headers.get('allow'), operation.method === 'GET' ? 'GET, HEAD' : 'POST')
      }
    })
  })
}

function openToReaders(operation: IncidentOperation, api: Api): void {
  test(`${operation.name} works with a read-only key and without a subscription, by GET and by HEAD`, async () => {
    const { client, incident, orgId, reader } = await tenantWithIncident(api)
    const { status, body } = await send(client, operation, incident.id)
    assert.equal(status, 200)
    await setSubscription(api.server, orgId, 'inactive')
    const readOnly = await reader()
    assert.deepEqual((await send(readOnly, operation, incident.id)).body, body)
    const head = await readOnly.send('HEAD', operation.path(incident.id))
    assert.deepEqual([head.status, head.body], [200, undefined])
    assert.equal(head.headers.get('content-length'), `${Buffer.byteLength(JSON.stringify(body))}`)
  })
}

function unknownIncidents(operation: IncidentOperation, api: Api): void {
  test(`${operation.name} cannot tell another organization's incident from one that never was`, async () => {
    const [own, other] = [await tenantWithIncident(api), await tenantWithIncident(api)]
    const ids = [other.incident.id, NEVER, 'x', other.monitor.id, `${own.incident.id}0`]
    const answers = await untouchedBy(other.client, () =>
      untouchedBy(own.client, () => Promise.all(ids.map((id) => send(own.client, operation, id)))),
    )
    const errors = answers.map(said)
    assert.deepEqual([errors[0]?.status, errors[0]?.code], [404, 'not_found'])
    for (const error of errors) assert.deepEqual(error, errors[0])
  })

  test(`${operation.name}: an incident goes with its monitor`, async () => {
    const { client, incident, monitor } = await tenantWithIncident(api)
    assert.equal((await client.delete(`/monitors/${monitor.id}`)).status, 200)
    expectError(await send(client, operation, incident.id), 'not_found')
  })
}

function acknowledging(api: Api): void {
  test('acknowledge with a read-only key is 403 and does nothing, even for an incident that is not there', async () => {
    const { client, incident, reader } = await tenantWithIncident(api)
    const readOnly = await reader()
    await untouchedBy(client, async () => {
      for (const id of [incident.id, NEVER]) expectError(await send(readOnly, acknowledge, id), 'forbidden')
    })
  })

  test('acknowledge without an active subscription is 422 and does nothing, until there is one', async () => {
    const { client, incident, orgId } = await tenantWithIncident(api)
    await setSubscription(api.server, orgId, 'inactive')
    await untouchedBy(client, async () => {
      // The subscription is checked before the incident is looked up.
      for (const id of [incident.id, NEVER]) {
        const answer = await send(client, acknowledge, id)
        assert.equal(answer.status, 422)
        expectError(answer, 'subscription_required')
      }
    })
    await setSubscription(api.server, orgId, 'active')
    assert.equal((await send(client, acknowledge, incident.id)).status, 200)
  })

  test('acknowledge takes no body or {}; anything else is 400 and does nothing', async () => {
    const { client, incident } = await tenantWithIncident(api)
    const path = acknowledge.path(incident.id)
    await untouchedBy(client, async () => {
      for (const body of ['null', '[]', '[{}]', '"{}"', '5', 'true', '{', '{}{}']) {
        const answer = await client.post(path, body)
        assert.equal(answer.status, 400, `body ${body}`)
        expectError(answer, 'validation_error', ['body'])
      }
      const answer = await client.post(path, { acknowledgedBy: 'me', reason: null })
      expectError(answer, 'validation_error', ['acknowledgedBy', 'reason'])
      const wrongType = await client.send('POST', path, '{}', { 'content-type': 'text/plain' })
      assert.equal(wrongType.status, 400)
    })
    assert.equal((await client.post(path, ' {\n} ')).status, 200)
    const other = await tenantWithIncident(api)
    assert.equal((await other.client.post(acknowledge.path(other.incident.id))).status, 200)
  })
}

function acknowledgingOnce(api: Api): void {
  test('acknowledge happens once for one idempotency key, and the answer is the same to the last byte', async () => {
    const { client, incident } = await tenantWithIncident(api)
    const headers = { 'idempotency-key': 'once' }
    const first = await send(client, acknowledge, incident.id, headers)
    assert.deepEqual([first.status, first.headers.get('idempotency-replayed')], [200, null])
    const again = await untouchedBy(client, () => send(client, acknowledge, incident.id, headers))
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual([again.status, again.body], [first.status, first.body])
    expectError(await send(client, acknowledge, NEVER, headers), 'idempotency_conflict')
    for (const bad of ['', 'a b', 'x'.repeat(201), 'ä']) {
      const answer = await client.send('POST', acknowledge.path(incident.id), undefined, { 'idempotency-key': bad })
      expectError(answer, 'invalid_idempotency_key')
    }
  })

  test('a refused acknowledgement uses up no idempotency key', async () => {
    const { client, incident, orgId } = await tenantWithIncident(api)
    const headers = { 'idempotency-key': 'again' }
    await setSubscription(api.server, orgId, 'inactive')
    expectError(await send(client, acknowledge, incident.id, headers), 'subscription_required')
    await setSubscription(api.server, orgId, 'active')
    expectError(await send(client, acknowledge, NEVER, headers), 'not_found')
    const answer = await send(client, acknowledge, incident.id, headers)
    assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [200, null])
    assert.equal((await currentIncident(client, incident.id)).acknowledged, true)
  })
}
