import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openEvent } from '../../../src/events/heartbeat-token.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { createSealer } from '../../../src/lib/seal.ts'
import type { Database } from '../../../src/storage/database.ts'
import { openDatabase } from '../../../src/storage/open.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { Node } from '../../crash/node.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { endWaits } from '../../support/nodes.ts'
import { freePort } from '../../support/ports.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { type Receiver, startReceiver, verified } from '../../support/receiver.ts'
import { rounds } from '../../support/rounds.ts'
import { BOOTSTRAP_KEY, type Client, clientOf } from '../../support/server.ts'

const KILLS = 2 * rounds
const SEAL_KEY = Buffer.alloc(32, 5)
const WRITERS = 4
const RECEIVERS = 3
/** A node is killed after at most this many acknowledged events, so that every life has work in flight. */
const MAX_EVENTS_PER_LIFE = 40
/** Long enough to release the claims of dead nodes and to retry what failed. */
const SETTLE_TIMEOUT_MS = 60_000

interface Subscriber {
  readonly receiver: Receiver
  readonly secret: string
}

/** Kills nodes again and again while events are emitted and sent. */
forEachEngine('webhooks under kill -9', (engine) => {
  test('every committed event is received with its id and its bytes, and nothing else is', async (t) => {
    await using stack = new AsyncDisposableStack()
    const created = engine === 'postgres' ? stack.use(await freshDatabase()) : undefined
    const folder = mkdtempSync(join(tmpdir(), 'pharos-webhooks-'))
    stack.defer(() => rmSync(folder, { recursive: true, force: true }))
    const nodes = await startNodes(folder, created)
    stack.defer(() => Promise.all(nodes.map((node) => node.kill())).then(() => {}))
    const clients = nodes.map(({ port }) => clientOf(`http://127.0.0.1:${port}`, { 'x-api-key': BOOTSTRAP_KEY }))
    const subscribers: Subscriber[] = []
    for (let i = 0; i < RECEIVERS; i += 1) subscribers.push(await subscribe(clients[0] as Client, stack))

    const acknowledged: string[] = []
    const done = new AbortController()
    const writers = Array.from({ length: WRITERS }, () => write(clients, acknowledged, done.signal))
    await Promise.all(nodes.map((node) => killRepeatedly(node, acknowledged)))
    done.abort()
    await Promise.all(writers)

    const storage = { databaseUrl: created?.url, poolSize: 2, dataDir: folder, rateLimit: { quota: 1, windowMs: 1 } }
    const database = await openDatabase(storage, systemClock, silentLog)
    stack.defer(() => database.close())
    await allSettled(database)
    const events = await compare(database, subscribers, acknowledged)
    const requests = subscribers.reduce((sum, { receiver }) => sum + receiver.messages.length, 0)
    t.diagnostic(JSON.stringify({ events, requests }))
  })
})

async function startNodes(folder: string, created: FreshDatabase | undefined): Promise<Node[]> {
  const env = {
    PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
    PHAROS_SECRET_KEY: SEAL_KEY.toString('base64'),
    PHAROS_RATE_LIMIT: '1000000000',
    PHAROS_LOG_LEVEL: 'error',
    PHAROS_ROLES: 'api,sender',
    PHAROS_PRIVATE_WEBHOOKS: 'allow',
    PHAROS_WEBHOOK_SCHEDULE: '0,0.1,0.2,0.3,0.5,0.5,0.5,1,1,1',
    PHAROS_DATA_DIR: folder,
    ...(created && { DATABASE_URL: created.url }),
  }
  const nodes: Node[] = []
  for (let i = 0; i < (created === undefined ? 1 : 2); i += 1) nodes.push(new Node(await freePort(), env))
  await Promise.all(nodes.map((node) => node.start()))
  return nodes
}

/** An endpoint whose receiver sometimes fails, is slow, or drops the connection. */
async function subscribe(client: Client, stack: AsyncDisposableStack): Promise<Subscriber> {
  const receiver = stack.use(
    await startReceiver((response) => {
      const chance = Math.random()
      if (chance < 0.05) response.writeHead(500).end()
      else if (chance < 0.1) response.destroy()
      else if (chance < 0.3) setTimeout(() => response.end(), Math.random() * 100)
      else response.end()
    }),
  )
  const answer = await client.post('/webhook-endpoints', { url: receiver.url })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return { receiver, secret: answer.body.secret }
}

/** Emits events through any node that answers, and notes the monitors whose creation was acknowledged. */
async function write(clients: readonly Client[], acknowledged: string[], until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const client = clients[Math.floor(Math.random() * clients.length)]
    const answer = await client?.post('/monitors', { name: 'm', type: 'CRON' }).catch(() => undefined)
    if (answer?.status === 201) acknowledged.push(answer.body.id)
    await delay(answer === undefined ? 60 : 5)
  }
}

async function killRepeatedly(node: Node, acknowledged: readonly string[]): Promise<void> {
  for (let i = 0; i < KILLS; i += 1) {
    const killAt = acknowledged.length + 1 + Math.floor(Math.random() * MAX_EVENTS_PER_LIFE)
    while (acknowledged.length < killAt) await delay(5)
    await node.kill()
    await node.start()
  }
}

async function allSettled(database: Database): Promise<void> {
  await eventually(async () => {
    await endWaits(database)
    const pending = await database.read(
      execute(q.selectFrom('webhook_deliveries').select('id').where('status', '=', 'PENDING').limit(1)),
    )
    assert.equal(pending.length, 0, 'a delivery is still pending')
  }, SETTLE_TIMEOUT_MS)
}

/** Every committed event was received by everyone, with its id and body; nothing else was. */
async function compare(
  database: Database,
  subscribers: readonly Subscriber[],
  acknowledged: readonly string[],
): Promise<number> {
  const events = await database.read(execute(q.selectFrom('events').selectAll()))
  const sealer = createSealer([SEAL_KEY])
  const bodies = new Map(events.map((event) => [event.id, openEvent(event.org_id, event, sealer)]))
  const emitted = new Set(events.map(({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id))
  for (const id of acknowledged) assert.ok(emitted.has(id), `${id} was acknowledged, but has no event`)
  for (const { receiver, secret } of subscribers) {
    const seen = new Set<string>()
    for (const webhook of receiver.messages) {
      assert.equal(webhook.raw, bodies.get(webhook.event.id), `${webhook.event.id} is what was committed`)
      assert.equal(verified(webhook, secret).id, webhook.event.id)
      seen.add(webhook.event.id)
    }
    const missing = events.filter(({ id }) => !seen.has(id))
    assert.equal(missing.length, 0, `${missing.length} of ${events.length} events were not received`)
  }
  const [failed] = await database.read(
    execute(q.selectFrom('webhook_deliveries').select('id').where('status', '!=', 'SUCCEEDED').limit(1)),
  )
  assert.equal(failed, undefined)
  return events.length
}
