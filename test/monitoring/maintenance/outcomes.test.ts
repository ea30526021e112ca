import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import {
  type MaintenanceOperation,
  maintenanceOperations,
  send,
  tenantWithWindow,
  untouchedBy,
} from '../../support/maintenance.ts'
import { expectError } from '../../support/monitors.ts'
import { setSubscription } from '../../support/tables.ts'

const changes = maintenanceOperations.filter(({ method }) => method !== 'GET')
const reads = maintenanceOperations.filter(({ method }) => method === 'GET')
const targeted = maintenanceOperations.filter(({ path }) => path('a') !== path('b'))

/** Outcomes that the five operations have in common, with the side effects that must not occur. */
forEachEngine('maintenance operations', (engine) => {
  const api = useApi(engine)
  for (const operation of maintenanceOperations) refusedWithoutKey(operation, api)
  for (const operation of changes) {
    refusedToReaders(operation, api)
    needsSubscription(operation, api)
    replays(operation, api)
    if (operation.body === undefined) takesNoBody(operation, api)
    else needsBody(operation, api)
  }
  for (const operation of reads) openToReaders(operation, api)
  for (const operation of targeted) {
    unknownTargets(operation, api)
    refusesOtherMethods(operation, api)
  }
})

function refusedWithoutKey(operation: MaintenanceOperation, api: Api): void {
  test(`${operation.name} without a key is 401 and does nothing`, async () => {
    const { client, window } = await tenantWithWindow(api)
    const answer = await untouchedBy(client, () => send(api.clientWith({}), operation, window.id))
    expectError(answer, 'unauthorized')
  })
}

function refusedToReaders(operation: MaintenanceOperation, api: Api): void {
  test(`${operation.name} with a read-only key is 403 and does nothing`, async () => {
    const { client, window, reader } = await tenantWithWindow(api)
    const readOnly = await reader()
    expectError(await untouchedBy(client, () => send(readOnly, operation, window.id)), 'forbidden')
  })
}

function needsSubscription(operation: MaintenanceOperation, api: Api): void {
  test(`${operation.name} without an active subscription is 422 and does nothing, until there is one`, async () => {
    const { client, window, orgId } = await tenantWithWindow(api)
    await setSubscription(api.server, orgId, 'inactive')
    const answer = await untouchedBy(client, () => send(client, operation, window.id))
    assert.equal(answer.status, 422)
    expectError(answer, 'subscription_required')
    await setSubscription(api.server, orgId, 'active')
    assert.equal((await send(client, operation, window.id)).status, operation.status)
  })
}

function replays(operation: MaintenanceOperation, api: Api): void {
  test(`${operation.name} happens once for one idempotency key, and the answer is the same to the last byte`, async () => {
    const { client, window } = await tenantWithWindow(api)
    const headers = { 'idempotency-key': 'once' }
    const first = await send(client, operation, window.id, headers)
    assert.equal(first.status, operation.status)
    const again = await untouchedBy(client, () => send(client, operation, window.id, headers))
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual([again.status, again.body], [first.status, first.body])
    expectError(await client.post('/status-pages', { name: 'Another' }, headers), 'idempotency_conflict')
  })
}

function needsBody(operation: MaintenanceOperation, api: Api): void {
  test(`${operation.name} refuses a missing body and one that is no JSON object, and does nothing`, async () => {
    const { client, window } = await tenantWithWindow(api)
    await untouchedBy(client, async () => {
      for (const body of [undefined, '', 'null', '[]', '"{}"', '5', 'true', '{', '{}{}']) {
        const answer = await client.send(operation.method, operation.path(window.id), body)
        assert.equal(answer.status, 400, `body ${body}`)
        expectError(answer, 'validation_error', ['body'])
      }
    })
  })
}

function takesNoBody(operation: MaintenanceOperation, api: Api): void {
  test(`${operation.name} takes no body or {}, and every property is a fault`, async () => {
    const { client, window } = await tenantWithWindow(api)
    const path = operation.path(window.id)
    await untouchedBy(client, async () => {
      expectError(await client.send(operation.method, path, { force: true }), 'validation_error', ['force'])
      expectError(await client.send(operation.method, path, '[]'), 'validation_error', ['body'])
    })
    assert.equal((await client.send(operation.method, path, {})).status, 200)
  })
}

function openToReaders(operation: MaintenanceOperation, api: Api): void {
  test(`${operation.name} works with a read-only key and without a subscription, by GET and by HEAD`, async () => {
    const { client, window, orgId, reader } = await tenantWithWindow(api)
    const { status, body } = await send(client, operation, window.id)
    assert.equal(status, 200)
    await setSubscription(api.server, orgId, 'inactive')
    const readOnly = await reader()
    assert.deepEqual((await send(readOnly, operation, window.id)).body, body)
    const head = await send(readOnly, { ...operation, method: 'HEAD' }, window.id)
    assert.deepEqual([head.status, head.body], [200, undefined])
  })
}

function unknownTargets(operation: MaintenanceOperation, api: Api): void {
  test(`${operation.name} cannot tell another organization's from one that never was`, async () => {
    const [own, other] = [await tenantWithWindow(api), await tenantWithWindow(api)]
    const answers = await untouchedBy(other.client, () =>
      untouchedBy(own.client, () =>
        Promise.all([other.window.id, `mw_${'0'.repeat(32)}`].map((id) => send(own.client, operation, id))),
      ),
    )
    const said = answers.map(({ status, body: { error } }) => {
      const { requestId: _, ...rest } = error
      return { status, ...rest }
    })
    assert.equal(said[0]?.code, 'not_found')
    assert.deepEqual(said[0], said[1])
  })
}

function refusesOtherMethods(operation: MaintenanceOperation, api: Api): void {
  test(`${operation.name}: its path says which methods it has`, async () => {
    const { client, window } = await tenantWithWindow(api)
    const path = operation.path(window.id)
    const allowed = maintenanceOperations
      .filter((one) => one.path(window.id) === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    const answer = await client.send('PUT', path, {})
    assert.equal(answer.status, 405)
    assert.deepEqual(answer.headers.get('allow')?.split(', '), allowed)
  })
}
