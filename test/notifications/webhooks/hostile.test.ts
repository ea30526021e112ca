import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Database } from '../../../src/storage/database.ts'
import { openDatabase } from '../../../src/storage/open.ts'
import { ask, q } from '../../../src/storage/query.ts'
import { listen, raw } from '../../outbound/fixtures.ts'
import { forEachEngine } from '../../support/engines.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { startProcess } from '../../support/process.ts'
import { BOOTSTRAP_KEY, type Client, clientOf } from '../../support/server.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const HEALTHY = 20
const LOAD_MS = 18_000
const WAITING = 100_000

/** Receivers that do their worst; each counts the requests that it has seen. */
const tricks: Record<string, (socket: net.Socket) => void> = {
  hanging: () => {},
  dripping: (socket) =>
    every(socket, 1_000, () => socket.write('x'), 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n'),
  endless: (socket) => every(socket, 1, () => socket.write('x'.repeat(65_536)), 'HTTP/1.1 200 OK\r\n\r\n'),
  resetting: (socket) => socket.resetAndDestroy(),
}

function every(socket: net.Socket, ms: number, say: () => void, first: string): void {
  socket.write(first)
  const timer = setInterval(() => (socket.writableLength < 1e6 ? say() : undefined), ms)
  socket.on('close', () => clearInterval(timer))
}

async function makeEndpoint(client: Client, url: string, eventTypes = ['*']): Promise<string> {
  const answer = await client.post('/webhook-endpoints', { url, eventTypes })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id
}

/** As if an endpoint had been told of a hundred thousand events while nobody was there to send them. */
async function crowd(database: Database, endpointId: string): Promise<void> {
  await database.write(function* () {
    const [event] = yield* ask(q.selectFrom('events').select(['org_id', 'id']).limit(1))
    assert.ok(event)
    yield* ask(sql`
      insert into webhook_deliveries
        (org_id, id, seq, endpoint_id, event_id, event_type, status, attempt_count, next_attempt_at, created_at)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(WAITING)})
      select ${event.org_id}, 'dlv_waiting' || i, 1000000 + i, ${endpointId}, ${event.id}, 'monitor.created', 'PENDING', 0, i, i
      from n`)
    yield* ask(
      q
        .updateTable('webhook_endpoints')
        .set({ due_at: 1 })
        .where('id', '=', endpointId)
        .where('claimed_by', 'is', null),
    )
  })
}

/** Where the system does not say (not Linux), memory is as flat as can be. */
function rssMbOf(pid: number): number {
  if (process.platform !== 'linux') return 0
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}

/** How long after their events the letters of healthy receivers came. */
function delaysMs(receivers: readonly Receiver[]): number[] {
  return receivers.flatMap(({ letters }) =>
    letters.map(({ at, body }) => at - Date.parse((JSON.parse(body.toString()) as { timestamp: string }).timestamp)),
  )
}

forEachEngine('receivers that do their worst', (engine) => {
  test('they delay nobody else, nor does one for whom a hundred thousand events are waiting, and cost no memory', async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'pharos-hostile-'))
    await using made = engine === 'postgres' ? await freshDatabase() : undefined
    const env = { PHAROS_DATA_DIR: dataDir, PHAROS_ROLES: 'api,sender', PHAROS_PRIVATE_WEBHOOKS: 'allow' }
    await using server = await startProcess({ ...env, ...(made && { DATABASE_URL: made.url }) })
    const storage = { databaseUrl: made?.url, poolSize: 2, dataDir, rule: { quota: 1, windowMs: 1 } }
    const database = await openDatabase(storage, systemClock, silentLog)
    await using cleanUp = new AsyncDisposableStack()
    cleanUp.defer(() => rmSync(dataDir, { recursive: true, force: true }))
    cleanUp.defer(() => database.close())
    const client = clientOf(server.url, { 'x-api-key': BOOTSTRAP_KEY })

    const visits: Record<string, number> = {}
    for (const [name, trick] of Object.entries(tricks)) {
      visits[name] = 0
      const seen = raw((socket) => {
        visits[name] = (visits[name] ?? 0) + 1
        trick(socket)
      })
      const hostile = cleanUp.use(await listen(seen))
      await makeEndpoint(client, `http://127.0.0.1:${hostile.port}/${name}`)
    }
    const healthy: Receiver[] = []
    for (let i = 0; i < HEALTHY; i += 1) {
      const receiver = cleanUp.use(await startReceiver())
      await makeEndpoint(client, receiver.url)
      healthy.push(receiver)
    }
    const crowded = cleanUp.use(await startReceiver((response) => setTimeout(() => response.end(), 10)))
    const crowdedId = await makeEndpoint(client, crowded.url, ['monitor.deleted'])
    await client.post('/monitors', { name: 'first', type: 'CRON' })
    await crowd(database, crowdedId)

    const rssMb: number[] = []
    const endAt = performance.now() + LOAD_MS
    let events = 1
    while (performance.now() < endAt) {
      const answer = await client.post('/monitors', { name: `m${events}`, type: 'CRON' })
      assert.equal(answer.status, 201)
      events += 1
      if (events % 10 === 0) rssMb.push(rssMbOf(server.pid))
      await delay(60)
    }
    for (const receiver of healthy) await receiver.count(events, 3_000)

    const late = delaysMs(healthy)
    const [p50, p99] = [percentile(late, 0.5), percentile(late, 0.99)]
    const third = Math.floor(rssMb.length / 3)
    const [early, end] = [Math.max(...rssMb.slice(0, third)), Math.max(...rssMb.slice(-third))]
    t.diagnostic(
      `${events} events, ${late.length} letters, delay p50 ${p50} ms, p99 ${p99} ms, max ${Math.max(...late)} ms`,
    )
    t.diagnostic(
      `visits ${JSON.stringify(visits)}, crowded ${crowded.letters.length}, RSS ${early.toFixed(0)} → ${end.toFixed(0)} MB`,
    )
    assert.equal(late.length, events * HEALTHY, 'every event came once to every healthy receiver')
    assert.ok(p99 < 1_000, `p99 of the delay is ${p99} ms`)
    assert.ok(end < early * 1.3 + 20, `RSS grew from ${early} to ${end} MB`)
    for (const [name, count] of Object.entries(visits)) assert.ok(count >= 4, `${name} was tried ${count} times`)
    assert.ok(crowded.letters.length > 100, 'the crowd was being served meanwhile')
  })
})
