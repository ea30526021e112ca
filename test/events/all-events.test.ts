import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { type Api, startApi, useApi } from '../support/api.ts'
import { eventTypes } from '../support/contract.ts'
import { forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { changedWindow, createWindow, hourFrom } from '../support/maintenance.ts'
import { createMonitor, current, smallest } from '../support/monitors.ts'
import { type Message, startReceiver } from '../support/receiver.ts'
import type { Client } from '../support/server.ts'
import { createPage, createPublished } from '../support/status.ts'
import { startHttpTarget } from '../support/targets.ts'
import {
  asReadersSee,
  type Body,
  createDelivery,
  createEndpoint,
  currentDelivery,
  deliveries,
  withoutSecret,
} from '../support/webhooks.ts'
import { checkTriggers, startTestEnvironment, type TestEnvironment } from './check-events.ts'

type Trigger = (client: Client, endpoint: Body) => Promise<Body>

const env = { PHAROS_ROLES: 'api,sender', PHAROS_PRIVATE_WEBHOOKS: 'allow' }

/** Triggers each event and returns the resource as the API returned it, which `data` must equal. */
const triggers: Readonly<Record<string, Trigger>> = {
  'monitor.created': (client) => createMonitor(client, smallest('CRON')),
  async 'monitor.updated'(client) {
    const { id } = await createMonitor(client, smallest('CRON'))
    const { body } = await client.patch(`/monitors/${id}`, { name: 'Größer „neu“', graceSeconds: 5 })
    return { ...body, changed: ['name', 'graceSeconds'] }
  },
  async 'monitor.deleted'(client) {
    const { id } = await createMonitor(client, smallest('CRON'))
    const last = await current(client, id)
    await client.delete(`/monitors/${id}`)
    return last
  },
  async 'monitor.paused'(client) {
    const { id } = await createMonitor(client, smallest('CRON'))
    return (await client.post(`/monitors/${id}/pause`, {})).body
  },
  async 'monitor.resumed'(client) {
    const { id } = await createMonitor(client, smallest('CRON'))
    await client.post(`/monitors/${id}/pause`, {})
    return (await client.post(`/monitors/${id}/resume`, {})).body
  },
  async 'incident.acknowledged'(client) {
    await using target = await startHttpTarget()
    target.status = 500
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    await client.post(`/monitors/${id}/check`, {})
    const [incident] = (await client.get('/incidents')).body.data
    return (await client.post(`/incidents/${incident.id}/acknowledge`)).body
  },
  'maintenance.scheduled': (client) => createWindow(client),
  'maintenance.started': (client) => createWindow(client, hourFrom(Date.now(), -1_000)),
  async 'maintenance.completed'(client) {
    const { id } = await createWindow(client, hourFrom(Date.now(), -1_000))
    return changedWindow(client, id, { endsAt: new Date().toISOString() })
  },
  async 'maintenance.cancelled'(client) {
    const window = await createWindow(client)
    await client.delete(`/maintenance-windows/${window.id}`)
    return window
  },
  'status_incident.published': (client) => published(client),
  async 'status_incident.updated'(client) {
    const { id } = await published(client)
    return (await client.patch(`/status-incidents/${id}`, { title: 'Zahlungen „langsam“ 🐢' })).body
  },
  async 'status_incident.update_posted'(client) {
    const { id } = await published(client)
    const update = { status: 'IDENTIFIED', message: 'A **disk** is full' }
    return (await client.post(`/status-incidents/${id}/updates`, update)).body
  },
  async 'status_incident.resolved'(client) {
    const { id } = await published(client)
    const update = { status: 'RESOLVED', message: 'All is well' }
    return (await client.post(`/status-incidents/${id}/updates`, update)).body
  },
  async 'webhook.test'(client, endpoint) {
    await createDelivery(client, endpoint.id)
    return asReadersSee(withoutSecret(endpoint))
  },
}

async function published(client: Client): Promise<Body> {
  return createPublished(client, (await createPage(client)).id)
}

/** Throws unless the reference implementation accepts the received bytes. */
function verified({ raw, headers }: Message, secret: string): unknown {
  return new Webhook(secret).verify(raw, headers as Record<string, string>)
}

test('every event type has a trigger', () => {
  assert.deepEqual([...Object.keys(triggers), ...Object.keys(checkTriggers)].sort(), eventTypes.toSorted())
})

forEachEngine('a receiver', (engine) => {
  const api = useApi(engine, { env })
  for (const [type, trigger] of Object.entries(triggers)) oneEvent(api, type, trigger)
  itsDeliveries(api)
})

forEachEngine('a receiver of events from checks', (engine) => {
  let environment: TestEnvironment
  let api: Api
  before(async () => {
    environment = await startTestEnvironment()
    api = await startApi(engine, { env: { ...env, ...environment.env } })
  })
  after(async () => {
    await api.server.stop()
    await environment[Symbol.asyncDispose]()
  })
  const tenant: Api['tenant'] = (plan) => api.tenant(plan)
  for (const [type, trigger] of Object.entries(checkTriggers)) {
    oneEvent({ tenant }, type, (client) => trigger(client, environment))
  }
})

function oneEvent(api: Pick<Api, 'tenant'>, type: string, trigger: Trigger): void {
  test(`is sent ${type}: signed, with the resource as the API returned it`, async () => {
    await using receiver = await startReceiver()
    const { client } = await api.tenant()
    const endpoint = await createEndpoint(client, { url: receiver.url, eventTypes: [type] })
    const data = await trigger(client, endpoint)
    const message = await receiver.message(1)
    assert.deepEqual(verified(message, endpoint.secret), message.event)
    const { id, timestamp } = message.event
    assert.deepEqual(message.event, { id, type, timestamp, data })
    assert.equal(message.headers['webhook-id'], id)
    assert.equal(message.headers['content-type'], 'application/json')
    const delivery = await eventually(async () => {
      const [settled] = await deliveries(client, '&status=SUCCEEDED')
      assert.ok(settled)
      return currentDelivery(client, settled.id)
    })
    assert.equal(JSON.stringify(delivery.payload), message.raw)
    assert.deepEqual([delivery.attemptCount, delivery.attempts.length], [1, 1])
    assert.partialDeepStrictEqual(delivery.attempts[0], {
      number: 1,
      trigger: 'SCHEDULED',
      outcome: 'SUCCEEDED',
      responseStatus: 200,
      responseBody: 'thanks',
      error: null,
    })
    assert.equal(receiver.messages.length, 1)
  })
}

function itsDeliveries(api: Api): void {
  test('can verify with the old secret or the new one after a rotation, and with no other', async () => {
    await using receiver = await startReceiver()
    const { client } = await api.tenant()
    const { id, secret: old } = await createEndpoint(client, { url: receiver.url })
    const { secret: fresh } = (await client.post(`/webhook-endpoints/${id}/rotate-secret`)).body
    await createDelivery(client, id)
    const message = await receiver.message(1)
    for (const secret of [old, fresh]) assert.deepEqual(verified(message, secret), message.event)
    assert.throws(() => verified(message, `whsec_${Buffer.alloc(32).toString('base64')}`))
    assert.equal(`${message.headers['webhook-signature']}`.split(' ').length, 2)
  })

  test('gets a manual retry at once, with the same id and the same bytes', async () => {
    await using receiver = await startReceiver()
    const { client } = await api.tenant()
    const { id: endpointId, secret } = await createEndpoint(client, { url: receiver.url })
    const { id } = await createDelivery(client, endpointId)
    const first = await receiver.message(1)
    const retried = await eventually(async () => {
      const answer = await client.post(`/webhook-deliveries/${id}/retry`)
      assert.equal(answer.status, 200)
      return answer.body
    })
    assert.deepEqual([retried.status, retried.completedAt], ['PENDING', null])
    const second = await receiver.message(2)
    assert.deepEqual([second.raw, second.headers['webhook-id']], [first.raw, first.headers['webhook-id']])
    verified(second, secret)
    const settled = await eventually(async () => {
      const delivery = await currentDelivery(client, id)
      assert.equal(delivery.status, 'SUCCEEDED')
      return delivery
    })
    assert.deepEqual(
      settled.attempts.map(({ number, trigger }: Body) => [number, trigger]),
      [
        [1, 'SCHEDULED'],
        [2, 'MANUAL'],
      ],
    )
  })

  test('receives nothing once its endpoint is disabled or deleted', async () => {
    await using receiver = await startReceiver()
    const { client } = await api.tenant()
    const { id } = await createEndpoint(client, { url: receiver.url })
    await client.patch(`/webhook-endpoints/${id}`, { enabled: false })
    await createMonitor(client, smallest('CRON'))
    await client.patch(`/webhook-endpoints/${id}`, { enabled: true })
    await createDelivery(client, id)
    assert.equal((await receiver.message(1)).event.type, 'webhook.test')
    await client.delete(`/webhook-endpoints/${id}`)
    const other = await createEndpoint(client, { url: receiver.url })
    await createMonitor(client, smallest('CRON'))
    const message = await receiver.message(2)
    verified(message, other.secret)
    assert.equal(receiver.messages.length, 2)
  })
}
