import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { joinByInvitation, useInstallation } from '../support/person.ts'
import { startReceiver } from '../support/receiver.ts'
import { bodyOf, type Client, startTestServer } from '../support/server.ts'
import { storedText } from './stored-text.ts'

const secrets = {
  token: 'tok-7Jd0mZ2q',
  custom: 'cus-1Lp8xV4w',
  body: 'bod-9Gh3rT6y',
  password: 'pas-5Kn2bC8z',
  endpoint: 'end-4Tz6wQ1m',
}

const monitor = {
  name: 'Shop',
  type: 'HTTP',
  url: `https://probe:${secrets.password}@shop.example/health`,
  method: 'POST',
  requestHeaders: {
    Authorization: `Bearer ${secrets.token}`,
    'X-API-Key': secrets.custom,
    'User-Agent': 'probe/1.0',
    'Content-Type': 'application/json',
  },
  requestBody: `{"password":"${secrets.body}"}`,
}

const masked = {
  url: 'https://***@shop.example/health',
  requestHeaders: {
    Authorization: '***',
    'X-API-Key': '***',
    'User-Agent': 'probe/1.0',
    'Content-Type': 'application/json',
  },
  requestBody: '***',
}

function fieldsOf({ url, requestHeaders, requestBody }: typeof masked) {
  return { url, requestHeaders, requestBody }
}

function expectNoSecret(text: string, where: string): void {
  for (const [name, secret] of Object.entries(secrets)) assert.ok(!text.includes(secret), `${name} is in ${where}`)
}

async function create(client: Client, change: object = {}): Promise<string> {
  return bodyOf(await client.post('/monitors', { ...monitor, ...change }), 201).id
}

forEachEngine('secrets of monitors', (engine) => {
  const installation = useInstallation(engine)
  const client = () => installation.server.client()

  test('are shown to a full-access key in every response', async () => {
    const created = (await client().post('/monitors', monitor)).body
    assert.deepEqual(fieldsOf(created), fieldsOf(monitor))
    const path = `/monitors/${created.id}`
    for (const answer of [
      await client().get(path),
      await client().patch(path, { name: 'Renamed' }),
      await client().post(`${path}/pause`, {}),
      await client().post(`${path}/resume`, {}),
    ]) {
      assert.deepEqual(fieldsOf(answer.body), fieldsOf(monitor))
    }
    const { data } = (await client().get('/monitors?limit=100')).body
    assert.deepEqual(fieldsOf(data.find(({ id }: { id: string }) => id === created.id)), fieldsOf(monitor))
  })

  test('are masked for a read-only key', async () => {
    const id = await create(client())
    const { key } = await installation.server.makeKey(await installation.server.defaultOrgId(), 'read-only')
    const reader = installation.server.client(key)
    const answer = await reader.get(`/monitors/${id}`)
    assert.deepEqual(fieldsOf(answer.body), masked)
    expectNoSecret(JSON.stringify((await reader.get('/monitors?limit=100')).body), 'the list')
  })

  test('are masked for viewers and shown to members', async () => {
    const { body } = await installation.owner.post('/v1/monitors', monitor)
    const viewer = await joinByInvitation(installation, 'viewer@example.com', 'VIEWER')
    const member = await joinByInvitation(installation, 'member@example.com', 'MEMBER')
    assert.deepEqual(fieldsOf((await viewer.get(`/v1/monitors/${body.id}`)).body), masked)
    expectNoSecret(JSON.stringify((await viewer.get('/v1/monitors?limit=100')).body), 'the list')
    expectNoSecret(JSON.stringify((await viewer.get('/v1/monitor-list')).body), 'the overview')
    assert.deepEqual(fieldsOf((await member.get(`/v1/monitors/${body.id}`)).body), fieldsOf(monitor))
  })

  test('are not stored in plain text, not even after a change and a deletion', async () => {
    const id = await create(client())
    await client().patch(`/monitors/${id}`, { requestHeaders: { ...monitor.requestHeaders, Extra: secrets.token } })
    await client().delete(`/monitors/${id}`)
    await create(client())
    const audit = await installation.owner.get('/v1/audit-log')
    expectNoSecret(JSON.stringify(audit.body), 'the audit log')
    expectNoSecret(await storedText(installation.server.running.database), 'the database')
  })

  test('stay as they are when a PATCH sends the masks back', async () => {
    const id = await create(client())
    const answer = await client().patch(`/monitors/${id}`, { ...masked, name: 'Renamed' })
    assert.equal(answer.status, 200)
    assert.deepEqual(fieldsOf(answer.body), fieldsOf(monitor))
    const moved = await client().patch(`/monitors/${id}`, {
      url: 'https://***@shop.example/ready',
      requestHeaders: { authorization: '***', 'X-New': 'new' },
    })
    assert.equal(moved.body.url, `https://probe:${secrets.password}@shop.example/ready`)
    assert.deepEqual(moved.body.requestHeaders, { authorization: `Bearer ${secrets.token}`, 'X-New': 'new' })
    const partly = await client().patch(`/monitors/${id}`, { url: 'https://probe:***@shop.example/' })
    assert.equal(partly.status, 400)
    assert.match(partly.body.error.details[0].message, /must stand alone/)
  })

  test('can be removed', async () => {
    const id = await create(client())
    const bare = { url: 'https://shop.example/', requestHeaders: null, requestBody: null }
    const { body } = await client().patch(`/monitors/${id}`, bare)
    assert.deepEqual(fieldsOf(body), bare)
  })

  test('a mask that stands for no stored value is refused', async () => {
    const id = await create(client(), { url: 'https://shop.example/', requestHeaders: null, requestBody: null })
    const mask = { url: masked.url, requestHeaders: { Authorization: '***' }, requestBody: '***' }
    for (const answer of [
      await client().patch(`/monitors/${id}`, mask),
      await client().post('/monitors', { ...monitor, ...mask }),
    ]) {
      assert.equal(answer.status, 400)
      const paths = answer.body.error.details.map(({ path }: { path: string }) => path)
      assert.deepEqual(paths.sort(), ['requestBody', 'requestHeaders.Authorization', 'url'])
    }
    assert.equal((await client().get(`/monitors/${id}`)).body.url, 'https://shop.example/')
  })
})

forEachEngine('secrets of a working server', (engine) => {
  test('reach their targets, which repeat them, and are masked in events, deliveries and alerts', async () => {
    await using server = await startTestServer(engine, {
      env: { PHAROS_PRIVATE_TARGETS: 'allow', PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_ALERT_WAIT: '0' },
    })
    await using events = await startReceiver()
    await using alerts = await startReceiver()
    await using target = await startReceiver()
    await using gone = await startReceiver()
    gone.status = 410
    target.answer = (response) => response.writeHead(500).end(`Debug page: ${JSON.stringify(target.messages.at(-1))}`)
    const client = server.client()
    bodyOf(await client.post('/contacts', { name: 'Hook', channel: 'WEBHOOK', settings: { url: alerts.url } }), 201)
    for (const [url, eventTypes] of [
      [events.url, ['*']],
      [gone.url, ['monitor.created']],
    ] as const) {
      bodyOf(await client.post('/webhook-endpoints', { url: `${url}/path/${secrets.endpoint}`, eventTypes }), 201)
    }
    const url = target.url.replace('://', `://probe:${secrets.password}@`)
    const id = await create(client, { url, requestHeaders: { 'X-API-Key': secrets.custom } })
    const { headers, raw } = await target.message(1)
    const authorization = `Basic ${Buffer.from(`probe:${secrets.password}`).toString('base64')}`
    assert.deepEqual([headers.authorization, headers['x-api-key']], [authorization, secrets.custom])
    assert.equal(raw, monitor.requestBody)
    const alerted = () => alerts.messages.flatMap(({ event }) => event.alerts)
    await eventually(async () => {
      assert.ok(alerted().some(({ kind }) => kind === 'endpoint_disabled'))
      assert.ok(alerted().some(({ monitorId }) => monitorId === id))
    })
    const disabled = alerted().find(({ kind }) => kind === 'endpoint_disabled')
    assert.equal(disabled.subject, `${new URL(gone.url).origin}/…${secrets.endpoint.slice(-4)}`)
    await client.delete(`/monitors/${id}`)
    await events.message(3)
    for (const message of [...events.messages, ...alerts.messages]) expectNoSecret(message.raw, 'a message')
    const created = events.messages.find(({ event }) => event.type === 'monitor.created')
    assert.deepEqual(created?.event.data.requestHeaders, { 'X-API-Key': '***' })
    expectNoSecret(JSON.stringify((await client.get('/webhook-deliveries')).body), 'the deliveries')
    const opened = events.messages.find(({ event }) => event.type === 'incident.opened')
    assert.match(opened?.event.data.firstFailure.excerpt, /^Debug page: .*"x-api-key":"\*\*\*"/)
    expectNoSecret(await storedText(server.running.database), 'the database')
  })
})
