import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type net from 'node:net'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { listen, raw } from '../../outbound/fixtures.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { BOOTSTRAP_KEY, type Client, clientOf } from '../../support/server.ts'
import { startProcess } from '../../support/server-process.ts'
import { migratedWorkspace } from '../../support/workspace.ts'

const HEALTHY = 20
const EVENTS = 100
const BACKLOG = 100_000

/** Receivers that keep a connection busy or break it. */
const tricks: Record<string, (socket: net.Socket) => void> = {
  hanging: () => {},
  dripping: (socket) =>
    every(socket, 1_000, () => socket.write('x'), 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n'),
  endless: (socket) => every(socket, 1, () => socket.write('x'.repeat(65_536)), 'HTTP/1.1 200 OK\r\n\r\n'),
  resetting: (socket) => socket.resetAndDestroy(),
}

function every(socket: net.Socket, ms: number, write: () => void, first: string): void {
  socket.write(first)
  const timer = setInterval(() => (socket.writableLength < 1e6 ? write() : undefined), ms)
  socket.on('close', () => clearInterval(timer))
}

async function makeEndpoint(client: Client, url: string, eventTypes = ['*']): Promise<string> {
  const answer = await client.post('/webhook-endpoints', { url, eventTypes })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.id
}

/** Adds a backlog, as if an endpoint had been sent nothing for a long time. */
async function addBacklog(database: Database, endpointId: string): Promise<void> {
  await database.write(function* () {
    const [event] = yield* execute(q.selectFrom('events').select(['org_id', 'id']).limit(1))
    assert.ok(event)
    yield* execute(sql`
      insert into webhook_deliveries
        (org_id, id, seq, endpoint_id, event_id, event_type, status, attempt_count, next_attempt_at, created_at)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(BACKLOG)})
      select ${event.org_id}, 'dlv_backlog' || i, 1000000 + i, ${endpointId}, ${event.id}, 'monitor.created', 'PENDING', 0, i, i
      from n`)
    yield* execute(
      q
        .updateTable('webhook_endpoints')
        .set({ due_at: 1 })
        .where('id', '=', endpointId)
        .where('claimed_by', 'is', null),
    )
  })
}

/** 0 where the system does not tell (not Linux). */
function rssMbOf(pid: number): number {
  if (process.platform !== 'linux') return 0
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

forEachEngine('hostile receivers', (engine) => {
  test('and a backlog of 100,000 deliveries neither keep webhooks from other receivers nor make memory grow', async (t) => {
    await using workspace = await migratedWorkspace(engine)
    const env = { ...workspace.env, PHAROS_ROLES: 'api,sender', PHAROS_PRIVATE_WEBHOOKS: 'allow' }
    await using server = await startProcess(env)
    const database = await workspace.open()
    await using cleanUp = new AsyncDisposableStack()
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
    const backlogged = cleanUp.use(await startReceiver())
    const backloggedId = await makeEndpoint(client, backlogged.url, ['monitor.deleted'])
    await client.post('/monitors', { name: 'first', type: 'CRON' })
    await addBacklog(database, backloggedId)

    const rssMb: number[] = []
    for (let n = 1; n < EVENTS; n += 1) {
      assert.equal((await client.post('/monitors', { name: `m${n}`, type: 'CRON' })).status, 201)
      if (n % 5 !== 0) continue
      await healthy[n % HEALTHY]?.message(n)
      rssMb.push(rssMbOf(server.pid))
    }
    for (const receiver of healthy) await receiver.message(EVENTS)
    await backlogged.message(100)
    await eventually(async () => {
      for (const [name, count] of Object.entries(visits)) assert.ok(count >= 4, `${name} was tried ${count} times`)
    }, 60_000)

    const third = Math.floor(rssMb.length / 3)
    const [early, end] = [Math.max(...rssMb.slice(0, third)), Math.max(...rssMb.slice(-third))]
    t.diagnostic(`requests ${JSON.stringify(visits)}, backlog ${backlogged.messages.length}, RSS ${early} → ${end} MB`)
    for (const { messages } of healthy) assert.equal(new Set(messages.map(({ event }) => event.id)).size, EVENTS)
    assert.ok(end < early * 1.3 + 20, `RSS grew from ${early} to ${end} MB`)
  })
})
