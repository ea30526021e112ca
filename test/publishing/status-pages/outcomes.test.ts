import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { type StatusOperation, send, statusOperations, tenantWithPage, untouchedBy } from '../../support/status.ts'
import { setSubscription } from '../../support/tables.ts'

const changes = statusOperations.filter(({ method }) => method !== 'GET')
const reads = statusOperations.filter(({ method }) => method === 'GET')
const targeted = statusOperations.filter(
  ({ path }) => path({ page: 'a', published: 'a' }) !== path({ page: 'b', published: 'b' }),
)

/** Outcomes that all eleven operations share, including that rejected requests change nothing. */
forEachEngine('status operations', (engine) => {
  const api = useApi(engine)
  for (const operation of statusOperations) refusedWithoutKey(operation, api)
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

function refusedWithoutKey(operation: StatusOperation, api: Api): void {
  test(`${operation.name} without a key is 401 and does nothing`, async () => {
    const tenant = await tenantWithPage(api)
    const answer = await untouchedBy(tenant.client, () => send(api.clientWith({}), operation, tenant))
    expectError(answer, 'unauthorized')
  })
}

function refusedToReaders(operation: StatusOperation, api: Api): void {
  test(`${operation.name} with a read-only key is 403 and does nothing`, async () => {
    const tenant = await tenantWithPage(api)
    const reader = await tenant.reader()
    expectError(await untouchedBy(tenant.client, () => send(reader, operation, tenant)), 'forbidden')
  })
}

function needsSubscription(operation: StatusOperation, api: Api): void {
  test(`${operation.name} without an active subscription is 422 and does nothing, until there is one`, async () => {
    const tenant = await tenantWithPage(api)
    await setSubscription(api.server, tenant.orgId, 'inactive')
    const answer = await untouchedBy(tenant.client, () => send(tenant.client, operation, tenant))
    assert.equal(answer.status, 422)
    expectError(answer, 'subscription_required')
    await setSubscription(api.server, tenant.orgId, 'active')
    assert.equal((await send(tenant.client, operation, tenant)).status, operation.status)
  })
}

function replays(operation: StatusOperation, api: Api): void {
  test(`${operation.name} runs once per idempotency key and repeats the same bytes`, async () => {
    const tenant = await tenantWithPage(api)
    const headers = { 'idempotency-key': 'once' }
    const first = await send(tenant.client, operation, tenant, headers)
    assert.equal(first.status, operation.status)
    const again = await untouchedBy(tenant.client, () => send(tenant.client, operation, tenant, headers))
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual([again.status, again.body], [first.status, first.body])
    const other = await tenant.client.post('/status-pages', { name: 'Another' }, headers)
    expectError(other, 'idempotency_conflict')
  })
}

function needsBody(operation: StatusOperation, api: Api): void {
  test(`${operation.name} rejects a missing body and one that is not a JSON object, and does nothing`, async () => {
    const { client, page, published } = await tenantWithPage(api)
    const path = operation.path({ page: page.id, published: published.id })
    await untouchedBy(client, async () => {
      for (const body of [undefined, '', 'null', '[]', '"{}"', '5', 'true', '{', '{}{}']) {
        const answer = await client.send(operation.method, path, body)
        assert.equal(answer.status, 400, `body ${body}`)
        expectError(answer, 'validation_error', ['body'])
      }
    })
  })
}

function takesNoBody(operation: StatusOperation, api: Api): void {
  test(`${operation.name} accepts no body or {}, and rejects every property`, async () => {
    const { client, page, published } = await tenantWithPage(api)
    const path = operation.path({ page: page.id, published: published.id })
    await untouchedBy(client, async () => {
      expectError(await client.send(operation.method, path, { force: true }), 'validation_error', ['force'])
      expectError(await client.send(operation.method, path, '[]'), 'validation_error', ['body'])
    })
    assert.equal((await client.send(operation.method, path, {})).status, 200)
  })
}

function openToReaders(operation: StatusOperation, api: Api): void {
  test(`${operation.name} works with a read-only key and without a subscription, by GET and by HEAD`, async () => {
    const tenant = await tenantWithPage(api)
    const { status, body } = await send(tenant.client, operation, tenant)
    assert.equal(status, 200)
    await setSubscription(api.server, tenant.orgId, 'inactive')
    const reader = await tenant.reader()
    assert.deepEqual((await send(reader, operation, tenant)).body, body)
    const head = await send(reader, { ...operation, method: 'HEAD' }, tenant)
    assert.deepEqual([head.status, head.body], [200, undefined])
  })
}

function unknownTargets(operation: StatusOperation, api: Api): void {
  test(`${operation.name} answers the same for another organization's object and for a missing one`, async () => {
    const [own, other] = [await tenantWithPage(api), await tenantWithPage(api)]
    const never = { page: { id: `page_${'0'.repeat(32)}` }, published: { id: `sinc_${'0'.repeat(32)}` } }
    const answers = await untouchedBy(other.client, () =>
      untouchedBy(own.client, () => Promise.all([other, never].map((ids) => send(own.client, operation, ids)))),
    )
    const said = answers.map(({ status, body: { error } }) => {
      const { requestId: _, ...rest } = error
      return { status, ...rest }
    })
    assert.equal(said[0]?.code, 'not_found')
    assert.deepEqual(said[0], said[1])
  })
}

function refusesOtherMethods(operation: StatusOperation, api: Api): void {
  test(`${operation.name}lists the allowed methods of its path`, async () => {
    const { client, page, published } = await tenantWithPage(api)
    const ids = { page: page.id, published: published.id }
    const path = operation.path(ids)
    const allowed = statusOperations
      .filter((one) => one.path(ids) === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    const answer = await client.send('PUT', path, {})
    assert.equal(answer.status, 405)
    assert.deepEqual(answer.headers.get('allow')?.split(', '), allowed)
  })
}
