import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortenUrl } from '../../../src/lib/mask.ts'
import { type Api, useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { setSubscription } from '../../support/tables.ts'
import {
  RECEIVER,
  send,
  tenantWithWebhook,
  untouchedBy,
  type WebhookOperation,
  webhookOperations,
} from '../../support/webhooks.ts'

const changes = webhookOperations.filter(({ method }) => method !== 'GET')
const reads = webhookOperations.filter(({ method }) => method === 'GET')
const targeted = webhookOperations.filter(
  ({ path }) => path({ endpoint: 'a', delivery: 'a' }) !== path({ endpoint: 'b', delivery: 'b' }),
)

/** Outcomes that the ten operations share, each with a check that nothing was changed. */
forEachEngine('webhook operations', (engine) => {
  const api = useApi(engine)
  for (const operation of webhookOperations) refusedWithoutKey(operation, api)
  for (const operation of changes) {
    refusedToReaders(operation, api)
    needsSubscription(operation, api)
    replays(operation, api)
    if (operation.bodyRequired === true) needsBody(operation, api)
    else takesNoBody(operation, api)
  }
  for (const operation of reads) openToReaders(operation, api)
  for (const operation of targeted) {
    unknownTargets(operation, api)
    refusesOtherMethods(operation, api)
  }
})

function refusedWithoutKey(operation: WebhookOperation, api: Api): void {
  test(`${operation.name} without a key is 401 and does nothing`, async () => {
    const tenant = await tenantWithWebhook(api)
    const answer = await untouchedBy(tenant.client, () => send(api.clientWith({}), operation, tenant))
    expectError(answer, 'unauthorized')
  })
}

function refusedToReaders(operation: WebhookOperation, api: Api): void {
  test(`${operation.name} with a read-only key is 403 and does nothing`, async () => {
    const tenant = await tenantWithWebhook(api)
    const reader = await tenant.reader()
    expectError(await untouchedBy(tenant.client, () => send(reader, operation, tenant)), 'forbidden')
  })
}

function needsSubscription(operation: WebhookOperation, api: Api): void {
  test(`${operation.name} without an active subscription is 422 and does nothing, until there is one`, async () => {
    const tenant = await tenantWithWebhook(api)
    await setSubscription(api.server, tenant.orgId, 'inactive')
    const answer = await untouchedBy(tenant.client, () => send(tenant.client, operation, tenant))
    assert.equal(answer.status, 422)
    expectError(answer, 'subscription_required')
    await setSubscription(api.server, tenant.orgId, 'active')
    assert.equal((await send(tenant.client, operation, tenant)).status, operation.status)
  })
}

function replays(operation: WebhookOperation, api: Api): void {
  test(`${operation.name} happens once for one idempotency key, and the answer is the same to the last byte`, async () => {
    const tenant = await tenantWithWebhook(api)
    const headers = { 'idempotency-key': 'once' }
    const first = await send(tenant.client, operation, tenant, headers)
    assert.equal(first.status, operation.status)
    const again = await untouchedBy(tenant.client, () => send(tenant.client, operation, tenant, headers))
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual([again.status, again.body], [first.status, first.body])
    const other = operation.method === 'DELETE' ? 'POST' : 'DELETE'
    const path = operation.method === 'DELETE' ? '/test' : ''
    const conflict = await tenant.client.send(other, `/webhook-endpoints/${tenant.endpoint.id}${path}`, {}, headers)
    expectError(conflict, 'idempotency_conflict')
  })
}

function needsBody(operation: WebhookOperation, api: Api): void {
  test(`${operation.name} refuses a missing body and one that is no JSON object, and does nothing`, async () => {
    const { client, endpoint, delivery } = await tenantWithWebhook(api)
    const path = operation.path({ endpoint: endpoint.id, delivery: delivery.id })
    await untouchedBy(client, async () => {
      for (const body of [undefined, '', 'null', '[]', '"{}"', '5', 'true', '{', '{}{}']) {
        const answer = await client.send(operation.method, path, body)
        assert.equal(answer.status, 400, `body ${body}`)
        expectError(answer, 'validation_error', ['body'])
      }
    })
  })
}

function takesNoBody(operation: WebhookOperation, api: Api): void {
  test(`${operation.name} takes no body or {}, and every property is a fault`, async () => {
    const tenant = await tenantWithWebhook(api)
    const path = operation.path({ endpoint: tenant.endpoint.id, delivery: tenant.delivery.id })
    await untouchedBy(tenant.client, async () => {
      const answer = await tenant.client.send(operation.method, path, { reason: null, eventTypes: [] })
      assert.equal(answer.status, 400)
      expectError(answer, 'validation_error', ['eventTypes', 'reason'])
      expectError(await tenant.client.send(operation.method, path, '[]'), 'validation_error', ['body'])
    })
    assert.equal((await tenant.client.send(operation.method, path, {})).status, 200)
  })
}

function openToReaders(operation: WebhookOperation, api: Api): void {
  test(`${operation.name} works with a read-only key and without a subscription, by GET and by HEAD`, async () => {
    const tenant = await tenantWithWebhook(api)
    const { status, body } = await send(tenant.client, operation, tenant)
    assert.equal(status, 200)
    const seen = JSON.parse(JSON.stringify(body).replaceAll(RECEIVER, shortenUrl(RECEIVER)))
    await setSubscription(api.server, tenant.orgId, 'inactive')
    const reader = await tenant.reader()
    assert.deepEqual((await send(reader, operation, tenant)).body, seen)
    const head = await send(reader, { ...operation, method: 'HEAD' }, tenant)
    assert.deepEqual([head.status, head.body], [200, undefined])
  })
}

function unknownTargets(operation: WebhookOperation, api: Api): void {
  test(`${operation.name} answers the same for another organization's resource as for one that does not exist`, async () => {
    const [own, other] = [await tenantWithWebhook(api), await tenantWithWebhook(api)]
    const never = { endpoint: { id: `we_${'0'.repeat(32)}` }, delivery: { id: `dlv_${'0'.repeat(32)}` } }
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

function refusesOtherMethods(operation: WebhookOperation, api: Api): void {
  test(`${operation.name}: another method is 405 with the allowed ones`, async () => {
    const { client, endpoint, delivery } = await tenantWithWebhook(api)
    const path = operation.path({ endpoint: endpoint.id, delivery: delivery.id })
    const allowed = webhookOperations
      .filter((one) => one.path({ endpoint: endpoint.id, delivery: delivery.id }) === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    const answer = await client.send('PUT', path, {})
    assert.equal(answer.status, 405)
    assert.deepEqual(answer.headers.get('allow')?.split(', '), allowed)
  })
}
