import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database-proxy.ts'
import { withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { migratedDatabase } from '../../support/postgres.ts'
import { BOOTSTRAP_KEY, startTestServer } from '../../support/server.ts'

const ANSWER_MS = 6_000

function through(proxy: DatabaseProxy, { url }: { readonly url: string }): string {
  return proxy.url(new URL(url).pathname.slice(1))
}

test('while PostgreSQL hangs, requests get 500 and /readyz 503; afterwards all is well', {
  skip: withoutPostgres,
}, async () => {
  await using own = await migratedDatabase()
  await using proxy = await startDatabaseProxy()
  const databaseUrl = through(proxy, own)
  await using server = await startTestServer('postgres', { databaseUrl })
  const get = (path: string, method = 'GET') =>
    fetch(`${server.url}${path}`, {
      method,
      headers: {
        'x-api-key': BOOTSTRAP_KEY,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(method === 'POST' && { body: JSON.stringify({ type: 'CRON', name: 'x' }) }),
    })
  assert.equal((await get('/api/v1/monitors')).status, 200)
  for (let round = 0; round < 2; round += 1) {
    proxy.stall()
    const answers = await Promise.all([
      ...Array.from({ length: 30 }, () => get('/api/v1/monitors')),
      ...Array.from({ length: 10 }, () => get('/api/v1/monitors', 'POST')),
    ])
    for (const answer of answers) {
      assert.equal(answer.status, 500)
      assert.equal(((await answer.json()) as { error: { code: string } }).error.code, 'internal_error')
    }
    const ready = await get('/readyz')
    assert.equal(ready.status, 503)
    assert.match(
      ((await ready.json()) as { reason: string }).reason,
      /^The database is not available: no answer within/,
    )
    proxy.resume()
    await eventually(async () => assert.equal((await get('/readyz')).status, 200))
    await eventually(async () => assert.equal((await get('/api/v1/monitors')).status, 200))
    assert.equal((await get('/api/v1/monitors', 'POST')).status, 201)
  }
})

test('a start waits for PostgreSQL for a few seconds, and fails with the reason if it still hangs', {
  skip: withoutPostgres,
}, async () => {
  await using own = await migratedDatabase()
  await using proxy = await startDatabaseProxy()
  const databaseUrl = through(proxy, own)
  proxy.stall()
  await assert.rejects(startTestServer('postgres', { databaseUrl }), /DATABASE_URL: .* no answer within 5 s/)
  const starting = startTestServer('postgres', { databaseUrl })
  await delay(1_500)
  proxy.resume()
  await using server = await starting
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
})

test('a start asks PostgreSQL again if the first check of its state fails', { skip: withoutPostgres }, async () => {
  await using own = await migratedDatabase()
  await using proxy = await startDatabaseProxy()
  proxy.cutAfter("('transaction_read_only')")
  await using server = await startTestServer('postgres', { databaseUrl: through(proxy, own) })
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
})

test('a full pool of slow statements does not make a node unready', { skip: withoutPostgres }, async () => {
  await using server = await startTestServer('postgres', { env: { PHAROS_DATABASE_POOL: '2' } })
  const { database } = server.running
  const { execute } = await import('../../../src/storage/query.ts')
  const { sql } = await import('kysely')
  const slow = Promise.all(Array.from({ length: 2 }, () => database.read(execute(sql`select pg_sleep(3)`))))
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  await slow
})
