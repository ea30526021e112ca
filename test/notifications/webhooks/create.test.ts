import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { eventTypes } from '../../support/contract.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { storedAnswers } from '../../support/tables.ts'
import {
  createEndpoint,
  currentEndpoint,
  endpointRow,
  RECEIVER,
  untouchedBy,
  withoutSecret,
} from '../../support/webhooks.ts'

/** Bodies that break rules beyond the schema. */
const badBodies: readonly (readonly [body: object, paths: readonly string[]])[] = [
  [{ url: RECEIVER, eventTypes: ['monitor.paused', 'monitor.paused'] }, ['eventTypes']],
  [{ url: RECEIVER, eventTypes: ['*', 'monitor.paused'] }, ['eventTypes']],
  [{ url: RECEIVER, eventTypes: ['*', '*'] }, ['eventTypes']],
  [
    { url: 'ftp://x', description: 1, eventTypes: ['x'], enabled: 0, more: 1 },
    ['description', 'enabled', 'eventTypes.0', 'more', 'url'],
  ],
]

/** Refused by their text alone; what a name resolves to is checked at every request. */
const badUrls = [
  ...['', ' ', 'hooks.example', '/relative', 'https://', 'https:///path', 'https://a b.example/', 'not a url'],
  ...[
    'http://hooks.example/',
    'ftp://hooks.example/',
    'ws://hooks.example/',
    'javascript:alert(1)',
    'mailto:a@b.example',
  ],
  ...['https://user@hooks.example/', 'https://user:pw@hooks.example/', 'https://:pw@hooks.example/'],
  ...['https://localhost/', 'https://LOCALHOST:8443/', 'https://api.localhost/', 'https://localhost./'],
  ...['https://127.0.0.1/', 'https://127.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://0177.0.0.1/'],
  ...['https://10.0.0.1/', 'https://192.168.1.1/', 'https://172.16.0.1/', 'https://169.254.169.254/latest/meta-data'],
  ...['https://0.0.0.0/', 'https://100.64.0.1/', 'https://224.0.0.1/', 'https://255.255.255.255/', 'https://[::1]/'],
  ...['https://[fd00::1]/', 'https://[fe80::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[64:ff9b::7f00:1]/'],
  ...['https://intranet/', 'https://printer.local/', 'https://db.internal/', 'https://nas.home.arpa/'],
  ...['https://①②⑦.⓪.⓪.①/'],
]

forEachEngine('POST /webhook-endpoints', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  creation(api, clock)
  secrets(api)
  plans(api)
})

function creation(api: Api, clock: HandClock): void {
  test('a URL is enough: everything else has its default', async () => {
    const { client } = await api.tenant()
    const { id, secret: _, ...rest } = await createEndpoint(client)
    const now = new Date(clock.now()).toISOString()
    assert.deepEqual(rest, {
      url: RECEIVER,
      description: null,
      eventTypes: ['*'],
      enabled: true,
      disabledReason: null,
      previousSecretExpiresAt: null,
      lastDeliveryAt: null,
      createdAt: now,
      updatedAt: now,
    })
    assert.deepEqual(await currentEndpoint(client, id), { id, ...rest })
  })

  test('every field is kept as it was sent', async () => {
    const { client } = await api.tenant()
    const body = {
      url: 'https://Hooks.example:8443/a/b?c=d#e',
      description: 'Chat – Räume ☂',
      eventTypes: ['monitor.updated', 'incident.opened'],
      enabled: false,
    }
    const endpoint = await createEndpoint(client, body)
    assert.partialDeepStrictEqual(endpoint, body)
    assert.deepEqual(await currentEndpoint(client, endpoint.id), withoutSecret(endpoint))
  })

  test('all 22 event types can be named, in any order, and so can each alone', async () => {
    const { client } = await api.tenant()
    const all = eventTypes.toReversed()
    assert.equal(all.length, 22)
    assert.deepEqual((await createEndpoint(client, { eventTypes: all })).eventTypes, all)
    for (const type of eventTypes) await createEndpoint(client, { eventTypes: [type] })
  })

  test('texts at their bounds are accepted', async () => {
    const { client } = await api.tenant()
    const url = `https://hooks.example/${'x'.repeat(2048 - 'https://hooks.example/'.length)}`
    const description = '😀'.repeat(200)
    assert.partialDeepStrictEqual(await createEndpoint(client, { url, description }), { url, description })
    assert.equal((await createEndpoint(client, { description: '' })).description, '')
  })
}

describe('faults of POST /webhook-endpoints', () => {
  const api = useApi('sqlite')

  test('in many fields, and of rules beyond the schema, are 400, and nothing is created', async () => {
    const { client } = await api.tenant()
    await untouchedBy(client, async () => {
      for (const [body, paths] of badBodies) {
        expectError(await client.post('/webhook-endpoints', body), 'validation_error', paths)
      }
    })
  })

  test('an address that is not https, not public or not an address is 400 and names url', async () => {
    const { client } = await api.tenant()
    await untouchedBy(client, async () => {
      for (const url of badUrls) {
        const answer = await client.post('/webhook-endpoints', { url })
        expectError(answer, 'validation_error', ['url'])
      }
    })
  })

  test('public addresses are accepted, by name and by number', async () => {
    const { client } = await api.tenant()
    for (const url of [
      'https://hooks.example',
      'https://8.8.8.8/x',
      'https://[2606:4700::1111]:8443/',
      'https://münchen.example/',
    ]) {
      assert.equal((await createEndpoint(client, { url })).url, url)
    }
  })
})

function secrets(api: Api): void {
  test('the secret is random, shown by the creation alone, and stored sealed', async () => {
    const { client, orgId } = await api.tenant()
    const headers = { 'idempotency-key': 'create' }
    const { body: first } = await client.post('/webhook-endpoints', { url: RECEIVER }, headers)
    const second = await createEndpoint(client)
    assert.notEqual(first.secret, second.secret)
    const row = JSON.stringify(await endpointRow(api.server, first.id))
    const kept = (await storedAnswers(api.server, orgId)).join()
    const shown = JSON.stringify([
      (await client.get('/webhook-endpoints')).body,
      await currentEndpoint(client, first.id),
    ])
    const delivery = JSON.stringify((await client.post(`/webhook-endpoints/${first.id}/test`)).body)
    const bare = first.secret.slice('whsec_'.length)
    for (const text of [row, kept, shown, delivery]) assert.ok(!text.includes(bare))
    const replay = await client.post('/webhook-endpoints', { url: RECEIVER }, headers)
    assert.equal(replay.body.secret, first.secret)
  })
}

function plans(api: Api): void {
  test('a disabled endpoint counts for the plan, a deleted one does not, and faults come first', async () => {
    const { client } = await api.tenant('FREE')
    const { id } = await createEndpoint(client, { enabled: false })
    expectError(await client.post('/webhook-endpoints', {}), 'validation_error', ['url'])
    expectError(await client.post('/webhook-endpoints', { url: RECEIVER }), 'plan_limit')
    await client.delete(`/webhook-endpoints/${id}`)
    await createEndpoint(client)
  })
}

forEachEngine('POST /webhook-endpoints where private addresses are allowed', (engine) => {
  const open = useApi(engine, { env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })

  test('http:// and private addresses are accepted, user names are not', async () => {
    const { client } = await open.tenant()
    for (const url of ['http://127.0.0.1:9/', 'http://localhost:9/x', 'https://10.0.0.1/', 'http://hooks.example/']) {
      assert.equal((await createEndpoint(client, { url })).url, url)
    }
    for (const url of ['http://u@127.0.0.1/', 'ftp://127.0.0.1/', 'x']) {
      expectError(await client.post('/webhook-endpoints', { url }), 'validation_error', ['url'])
    }
  })
})

forEachEngine('POST /webhook-endpoints where one private network is allowed', (engine) => {
  const open = useApi(engine, { env: { PHAROS_PRIVATE_WEBHOOKS: '10.1.0.0/16' } })

  test('addresses of that network are accepted over https, and no others', async () => {
    const { client } = await open.tenant()
    await createEndpoint(client, { url: 'https://10.1.2.3/' })
    for (const url of ['http://10.1.2.3/', 'https://10.2.0.1/', 'https://localhost/']) {
      expectError(await client.post('/webhook-endpoints', { url }), 'validation_error', ['url'])
    }
  })
})
