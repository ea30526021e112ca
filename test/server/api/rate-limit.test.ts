import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { call, monitorOperations } from '../../support/contract.ts'
import { type Engine, forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import type { Answer, Client } from '../../support/server.ts'
import { ageRateWindows, revoke } from '../../support/tables.ts'

const QUOTA = 120

/** SQLite uses the injected clock. PostgreSQL uses its own, so the test ages the windows instead. */
async function later(engine: Engine, api: Api, clock: HandClock, ms: number): Promise<void> {
  if (engine === 'sqlite') clock.advance(ms)
  else await ageRateWindows(api.server, ms)
}

async function spend(client: Client, requests: number): Promise<Answer[]> {
  return Promise.all(Array.from({ length: requests }, () => client.get('/monitors?limit=1')))
}

function headersOf(answer: Answer): Record<string, string | null> {
  const names = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit', 'RateLimit-Policy']
  return Object.fromEntries([...names, 'Retry-After'].map((name) => [name, answer.headers.get(name)]))
}

const fresh = {
  'RateLimit-Limit': '120',
  'RateLimit-Remaining': '119',
  'RateLimit-Reset': '60',
  RateLimit: 'public-api;r=119;t=60',
  'RateLimit-Policy': 'public-api;q=120;w=60',
  'Retry-After': null,
}

forEachEngine('rate limit', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock, env: { PHAROS_RATE_LIMIT: `${QUOTA}` } })
  const wait = (ms: number): Promise<void> => later(engine, api, clock, ms)
  quota(api)
  windows(api, wait, engine)
  refusals(api)
  strangers(api, wait)
})

function quota(api: Api): void {
  test('the first request of a key starts its window; the headers match the contract exactly', async () => {
    const { client } = await api.tenant()
    assert.deepEqual(headersOf(await client.get('/monitors')), fresh)
  })

  test('every request counts once, rejected ones too', async () => {
    const { client, reader } = await api.tenant()
    const { id } = await createMonitor(client, smallest('CRON'))
    let left = QUOTA - 1
    const expectOneLess = (answer: Answer): void => {
      left -= 1
      assert.equal(answer.headers.get('ratelimit-remaining'), `${left}`)
    }
    for (const operation of monitorOperations) expectOneLess(await call(client, operation, id))
    expectOneLess(await client.get('/monitors?limit=0'))
    expectOneLess(await client.send('HEAD', '/monitors'))
    expectOneLess(await client.get('/nothing'))
    expectOneLess(await client.send('PUT', '/monitors', {}))
    expectOneLess(await client.post('/monitors', '{', { 'idempotency-key': '?' }))
    const readOnly = await reader()
    await readOnly.get('/monitors')
    const refused = await readOnly.post('/monitors', smallest('HTTP'))
    assert.deepEqual([refused.status, refused.headers.get('ratelimit-remaining')], [403, `${QUOTA - 2}`])
  })

  test('of 200 concurrent requests exactly 120 pass, each with its own count; the rest are 429', async () => {
    const { client } = await api.tenant()
    const answers = await spend(client, 200)
    const passed = answers.filter((answer) => answer.status === 200)
    const refused = answers.filter((answer) => answer.status === 429)
    assert.deepEqual([passed.length, refused.length], [QUOTA, 80])
    const counts = passed.map((answer) => Number(answer.headers.get('ratelimit-remaining'))).sort((a, b) => a - b)
    assert.deepEqual(
      counts,
      Array.from({ length: QUOTA }, (_, i) => i),
    )
    for (const answer of refused) {
      expectError(answer, 'rate_limited')
      assert.equal(answer.headers.get('ratelimit-remaining'), '0')
    }
  })

  test('the last request of the quota passes with nothing left, the next is 429 with Retry-After', async () => {
    const { client } = await api.tenant()
    await spend(client, QUOTA - 1)
    const last = await client.get('/monitors')
    assert.deepEqual([last.status, last.headers.get('ratelimit-remaining')], [200, '0'])
    const over = await client.get('/monitors')
    expectError(over, 'rate_limited')
    assert.match(over.headers.get('retry-after') ?? '', /^([1-9]|[1-5]\d|60)$/)
  })

  test('every key has its own quota, also within one organization', async () => {
    const { client, orgId } = await api.tenant()
    const second = api.clientOf((await api.server.makeKey(orgId, 'full')).key)
    await spend(client, QUOTA)
    expectError(await client.get('/monitors'), 'rate_limited')
    assert.deepEqual(headersOf(await second.get('/monitors')), fresh)
    const other = await api.tenant()
    assert.deepEqual(headersOf(await other.client.get('/monitors')), fresh)
  })
}

function windows(api: Api, wait: (ms: number) => Promise<void>, engine: Engine): void {
  test('rejected requests do not extend the window', async () => {
    const { client } = await api.tenant()
    await spend(client, QUOTA)
    await wait(50_000)
    const over = await client.get('/monitors')
    expectError(over, 'rate_limited')
    assert.match(over.headers.get('retry-after') ?? '', engine === 'sqlite' ? /^10$/ : /^(\d|10)$/)
    await wait(10_000)
    assert.deepEqual(headersOf(await client.get('/monitors')), fresh)
  })

  test('the reset counts down from the first request, not from the last', async () => {
    const { client } = await api.tenant()
    await client.get('/monitors')
    await wait(30_000)
    const { headers } = await client.get('/monitors')
    // On PostgreSQL the clock goes on while the test runs.
    assert.match(headers.get('ratelimit-reset') ?? '', engine === 'sqlite' ? /^30$/ : /^(30|2\d)$/)
    assert.equal(headers.get('ratelimit-remaining'), '118')
  })

  test('unused quota is not carried over', async () => {
    const { client } = await api.tenant()
    await client.get('/monitors')
    await wait(600_000)
    const answers = await spend(client, QUOTA + 1)
    assert.equal(answers.filter((answer) => answer.status === 429).length, 1)
  })

  if (engine === 'sqlite') {
    test('the window ends after exactly 60 s', async () => {
      const { client } = await api.tenant()
      await spend(client, QUOTA)
      await wait(59_999)
      expectError(await client.get('/monitors'), 'rate_limited')
      await wait(1)
      assert.deepEqual(headersOf(await client.get('/monitors')), fresh)
    })
  }
}

function refusals(api: Api): void {
  test('over the quota every operation is 429 and changes nothing', async () => {
    const { client, orgId } = await api.tenant()
    const { id } = await createMonitor(client, smallest('CRON'))
    const witness = api.clientOf((await api.server.makeKey(orgId, 'read-only')).key)
    const before = (await witness.get('/monitors')).body
    await spend(client, QUOTA)
    for (const operation of monitorOperations) {
      const answer = await call(client, operation, id, { 'idempotency-key': `key-${operation.name}` })
      assert.equal(answer.status, 429, operation.name)
    }
    assert.deepEqual((await witness.get('/monitors')).body, before)
  })

  test('the quota is checked before path, method, access, Idempotency-Key and body', async () => {
    const { reader } = await api.tenant()
    const client = await reader()
    await spend(client, QUOTA)
    for (const [method, path] of [
      ['POST', '/nothing'],
      ['PUT', '/monitors'],
      ['POST', '/monitors'],
      ['PATCH', '/monitors/mon_unknown'],
    ] as const) {
      const answer = await client.send(method, path, '{', { 'idempotency-key': '?', 'content-type': 'text/plain' })
      expectError(answer, 'rate_limited')
    }
  })

  test('credentials are checked before the quota: a key over its quota that is then revoked is 401', async () => {
    const { orgId } = await api.tenant()
    const { keyId, key } = await api.server.makeKey(orgId, 'full')
    const client = api.clientOf(key)
    await spend(client, QUOTA + 1)
    expectError(await client.get('/monitors'), 'rate_limited')
    await revoke(api.server, keyId)
    expectError(await client.get('/monitors'), 'unauthorized')
  })
}

function strangers(api: Api, wait: (ms: number) => Promise<void>): void {
  test('requests without a valid key share one quota per address, apart from those with a key', async () => {
    await wait(60_000)
    const [nobody, liar] = [api.clientWith({}), api.clientWith({ 'x-api-key': 'phr_invented' })]
    const first = await nobody.get('/monitors')
    assert.deepEqual([first.status, headersOf(first)], [401, fresh])
    const answers = [...(await spend(nobody, 60)), ...(await spend(liar, 59))]
    for (const answer of answers) expectError(answer, 'unauthorized')
    expectError(await nobody.get('/monitors'), 'rate_limited')
    expectError(await liar.get('/nothing'), 'rate_limited')
    // X-Forwarded-For is ignored without a trusted proxy.
    expectError(await api.clientWith({ 'x-forwarded-for': '203.0.113.9' }).get('/monitors'), 'rate_limited')
    const { client } = await api.tenant()
    assert.deepEqual(headersOf(await client.get('/monitors')), fresh)
    await wait(60_000)
    expectError(await nobody.get('/monitors'), 'unauthorized')
  })
}
