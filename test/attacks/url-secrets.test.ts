import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../support/engines.ts'
import { joinByInvitation, type Person, useInstallation } from '../support/person.ts'
import { openShell } from '../support/pharos-process.ts'
import { closedPort } from '../support/ports.ts'
import { bodyOf, type Client } from '../support/server.ts'
import { storedText } from './stored-text.ts'

const SECRET = /hush\d+/

/** User information in every form that URL accepts; each has its own secret. */
const userInfos = [
  'alice@corp.example:hush1',
  'hush2',
  'hush3:',
  ':hush4',
  'bob:hu%73h5hush5',
  'a@b@c:d@hush6@e',
  'hush7@corp.example',
] as const

const ENDPOINT = 'https://hooks.example/services/T0001/hush8'
const SHOWN_ENDPOINT = 'https://hooks.example/…ush8'

function expectNoSecret(text: string, where: string): void {
  assert.doesNotMatch(text, SECRET, where)
}

async function created(client: Client, path: string, body: object): Promise<{ id: string; url: string }> {
  return bodyOf(await client.post(path, body), 201)
}

async function exported(server: string, { cookie = '' }: Person): Promise<string> {
  const response = await fetch(`${server}/app/api/monitors.csv`, {
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  })
  assert.equal(response.status, 200)
  return response.text()
}

forEachEngine('secrets in stored URLs', (engine) => {
  const installation = useInstallation(engine)
  const client = () => installation.server.client()
  const monitor = (url: string) => ({ name: 'Shop', type: 'HTTP', url })
  let viewer: Promise<Person> | undefined
  const readers = async () => {
    const { key } = await installation.server.makeKey(await installation.server.defaultOrgId(), 'read-only')
    viewer ??= joinByInvitation(installation, 'viewer@example.com', 'VIEWER')
    return { reader: installation.server.client(key), viewer: await viewer }
  }

  test('user information of a monitor is stored encrypted, masked for readers, and shown to callers that may edit', async () => {
    const { reader, viewer } = await readers()
    for (const [i, userInfo] of userInfos.entries()) {
      const host = `shop${i}.example`
      const { id, url } = await created(client(), '/monitors', monitor(`https://${userInfo}@${host}/a@b`))
      assert.equal(url, `https://${userInfo}@${host}/a@b`)
      assert.equal((await reader.get(`/monitors/${id}`)).body.url, `https://***@${host}/a@b`)
      assert.equal((await viewer.get(`/v1/monitors/${id}`)).body.url, `https://***@${host}/a@b`)
    }
    expectNoSecret(JSON.stringify((await reader.get('/monitors?limit=100')).body), 'the list')
    expectNoSecret(JSON.stringify((await viewer.get('/v1/monitor-list')).body), 'the monitor list')
    expectNoSecret(await exported(installation.server.url, viewer), 'the export')
    assert.equal(
      (await viewer.get('/v1/monitor-list?q=shop3.example')).body.pagination.total,
      1,
      'the host is searched',
    )
    assert.equal((await viewer.get('/v1/monitor-list?q=hush')).body.pagination.total, 0)
    expectNoSecret(await storedText(installation.server.running.database), 'the database')
  })

  test('user information of a monitor is not stored by a request with an Idempotency-Key, and is part of its replay', async () => {
    const headers = { 'idempotency-key': 'once' }
    const body = monitor('https://hush2@shop.example/')
    const first = await client().send('POST', '/monitors', body, headers)
    const again = await client().send('POST', '/monitors', body, headers)
    assert.deepEqual([again.status, again.body], [201, first.body])
    expectNoSecret(await storedText(installation.server.running.database), 'the database')
  })

  test('user information of a monitor prevents a change to a type that does not use it', async () => {
    const { id } = await created(client(), '/monitors', monitor('https://hush2@shop.example/'))
    const refused = await client().patch(`/monitors/${id}`, { type: 'SSL' })
    assert.equal(refused.status, 400)
    assert.match(refused.body.error.details[0].message, /SSL checks do not use them/)
    expectNoSecret(JSON.stringify(refused.body), 'the error')
    assert.equal((await client().patch(`/monitors/${id}`, { type: 'SSL', url: 'shop.example' })).status, 200)
  })

  test('the URL of a webhook endpoint is stored encrypted, shortened for readers, and shown to callers that may edit', async () => {
    const { id, url } = await created(client(), '/webhook-endpoints', { url: ENDPOINT })
    const { reader, viewer } = await readers()
    const member = await joinByInvitation(installation, 'member@example.com', 'MEMBER')
    const path = `/webhook-endpoints/${id}`
    assert.equal(url, ENDPOINT)
    for (const answer of [await client().get(path), await member.get(`/v1${path}`)]) {
      assert.equal(answer.body.url, ENDPOINT)
    }
    for (const answer of [await reader.get(path), await viewer.get(`/v1${path}`)]) {
      assert.equal(answer.body.url, SHOWN_ENDPOINT)
    }
    assert.equal((await client().post(`${path}/rotate-secret`, {})).body.url, ENDPOINT)
    const delivery = (await client().post(`${path}/test`, {})).body
    assert.equal(delivery.payload.data.url, SHOWN_ENDPOINT)
    const request = `/webhook-deliveries/${delivery.id}/request`
    assert.equal((await client().get(request)).body.url, ENDPOINT)
    assert.equal((await reader.get(request)).body.url, SHOWN_ENDPOINT)
    expectNoSecret(JSON.stringify((await reader.get('/webhook-endpoints')).body), 'the list')
    expectNoSecret(JSON.stringify((await reader.get(`/webhook-deliveries/${delivery.id}`)).body), 'the delivery')
    expectNoSecret(JSON.stringify((await installation.owner.get('/v1/audit-log')).body), 'the audit log')
    await client().patch(path, { url: `${ENDPOINT}/hush9` })
    expectNoSecret(await storedText(installation.server.running.database), 'the database')
  })
})

test('pharos doctor prints no user name, password or other secret of DATABASE_URL', async () => {
  const at = `127.0.0.1:${await closedPort()}/pharos`
  const urls = [
    ...userInfos.map((userInfo) => `postgres://${userInfo}@${at}`),
    `postgres://${at}?password=hush1&sslmode=disable`,
    `postgres://${at}?sslmode=disable&sslpassword=hush1`,
    `postgres://user:hu/sh/hush1@${at}`,
    `postgres://user:hush1,/x@${at}`,
    `postgres://user:1?hush1@${at}`,
    `postgres://user:hush1@127.0.0.1,${at}`,
  ]
  await using shell = openShell({ PORT: '0', PHAROS_DATA_DIR: '/nonexistent' })
  for (const DATABASE_URL of urls) {
    const { code, stdout, stderr } = await shell.runWith({ DATABASE_URL }, 'doctor')
    assert.equal(code, 1)
    assert.match(stdout, /✗ database +DATABASE_URL: cannot connect to postgres:\/\//)
    expectNoSecret(stdout + stderr, DATABASE_URL)
  }
})
