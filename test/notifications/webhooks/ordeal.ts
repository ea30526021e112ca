/**
 * Nodes that are killed each second while events are made and sent.
 *   node test/webhooks/ordeal.ts SECONDS [postgres://…]
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Database } from '../../../src/storage/database.ts'
import { openDatabase } from '../../../src/storage/open.ts'
import { ask, q } from '../../../src/storage/query.ts'
import { freePort, Node } from '../../crash/node.ts'
import { eventually } from '../../support/eventually.ts'
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts'
import { BOOTSTRAP_KEY, type Client, clientOf } from '../../support/server.ts'
import { type Letter, type Receiver, startReceiver, verified } from './receiver.ts'

const WRITERS = 4
const RECEIVERS = 3
const LONGEST_LIFE_MS = 1_000
/** Long enough for what a dead node had claimed to be found, and for what failed to be tried again. */
const PATIENCE_MS = 30_000

export interface Tally {
  readonly kills: number
  readonly events: number
  readonly letters: number
}

interface Listener {
  readonly receiver: Receiver
  readonly secret: string
}

export async function ordeal(seconds: number, made: FreshDatabase | undefined): Promise<Tally> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'pharos-webhooks-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const nodes = await startNodes(folder, made)
  stack.defer(() => Promise.all(nodes.map((node) => node.kill())).then(() => {}))
  const clients = nodes.map(({ port }) => clientOf(`http://127.0.0.1:${port}`, { 'x-api-key': BOOTSTRAP_KEY }))
  const listeners: Listener[] = []
  for (let i = 0; i < RECEIVERS; i += 1) listeners.push(await listener(clients[0] as Client, stack))

  const enough = new AbortController()
  const writers = Array.from({ length: WRITERS }, () => write(clients, enough.signal))
  const killers = nodes.map((node) => killAgainAndAgain(node, seconds))
  const kills = (await Promise.all(killers)).reduce((sum, count) => sum + count, 0)
  enough.abort()
  const acknowledged = (await Promise.all(writers)).flat()

  const storage = { databaseUrl: made?.url, poolSize: 2, dataDir: folder, rule: { quota: 1, windowMs: 1 } }
  const database = await openDatabase(storage, systemClock, silentLog)
  stack.defer(() => database.close())
  await everythingIsSettled(database)
  const events = await compare(database, listeners, acknowledged)
  return { kills, events, letters: listeners.reduce((sum, { receiver }) => sum + receiver.letters.length, 0) }
}

async function startNodes(folder: string, made: FreshDatabase | undefined): Promise<Node[]> {
  const env = {
    PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
    PHAROS_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
    PHAROS_RATE_LIMIT: '1000000000',
    PHAROS_LOG_LEVEL: 'error',
    PHAROS_ROLES: 'api,sender',
    PHAROS_PRIVATE_WEBHOOKS: 'allow',
    PHAROS_WEBHOOK_SCHEDULE: '0,0.1,0.2,0.3,0.5,0.5,0.5,1,1,1',
    PHAROS_DATA_DIR: folder,
    ...(made && { DATABASE_URL: made.url }),
  }
  const nodes: Node[] = []
  for (let i = 0; i < (made === undefined ? 1 : 2); i += 1) nodes.push(new Node(await freePort(), env))
  await Promise.all(nodes.map((node) => node.start()))
  return nodes
}

/** A receiver that now and then fails, dawdles or hangs up, as receivers do. */
async function listener(client: Client, stack: AsyncDisposableStack): Promise<Listener> {
  const receiver = stack.use(
    await startReceiver((response) => {
      const mood = Math.random()
      if (mood < 0.05) response.writeHead(500).end()
      else if (mood < 0.1) response.destroy()
      else if (mood < 0.3) setTimeout(() => response.end(), Math.random() * 100)
      else response.end()
    }),
  )
  const answer = await client.post('/webhook-endpoints', { url: receiver.url })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return { receiver, secret: answer.body.secret }
}

/** Makes events through whichever node answers; gives the ids of the monitors whose creation was acknowledged. */
async function write(clients: readonly Client[], until: AbortSignal): Promise<string[]> {
  const acknowledged: string[] = []
  while (!until.aborted) {
    const client = clients[Math.floor(Math.random() * clients.length)]
    const answer = await client?.post('/monitors', { name: 'm', type: 'CRON' }).catch(() => undefined)
    if (answer?.status === 201) acknowledged.push(answer.body.id)
    await delay(answer === undefined ? 20 : 5)
  }
  return acknowledged
}

async function killAgainAndAgain(node: Node, seconds: number): Promise<number> {
  const endAt = performance.now() + seconds * 1000
  let kills = 0
  while (performance.now() < endAt) {
    await delay(Math.random() * LONGEST_LIFE_MS)
    await node.kill()
    kills += 1
    await node.start()
  }
  return kills
}

async function everythingIsSettled(database: Database): Promise<void> {
  await eventually(async () => {
    const pending = await database.read(
      ask(q.selectFrom('webhook_deliveries').select('id').where('status', '=', 'PENDING').limit(1)),
    )
    assert.equal(pending.length, 0, 'a delivery is still pending')
  }, PATIENCE_MS)
}

/** Every event that was committed came to everyone, under one id and with one body; nothing else came. */
async function compare(
  database: Database,
  listeners: readonly Listener[],
  acknowledged: readonly string[],
): Promise<number> {
  const events = await database.read(ask(q.selectFrom('events').select(['id', 'body'])))
  const bodies = new Map(events.map(({ id, body }) => [id, body]))
  const told = new Set(events.map(({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id))
  for (const id of acknowledged) assert.ok(told.has(id), `${id} was acknowledged, and there is no event of it`)
  for (const { receiver, secret } of listeners) {
    const seen = new Set<string>()
    for (const letter of receiver.letters) {
      assert.equal(letter.body.toString(), bodies.get(letter.id), `${letter.id} is what was committed`)
      assertSigned(letter, secret)
      seen.add(letter.id)
    }
    const missing = events.filter(({ id }) => !seen.has(id))
    assert.equal(missing.length, 0, `${missing.length} of ${events.length} events never came`)
  }
  const [failed] = await database.read(
    ask(q.selectFrom('webhook_deliveries').select('id').where('status', '!=', 'SUCCEEDED').limit(1)),
  )
  assert.equal(failed, undefined)
  return events.length
}

function assertSigned(letter: Letter, secret: string): void {
  assert.equal(verified(letter, secret).id, letter.id)
}

if (import.meta.main) {
  const [seconds = '60', server] = process.argv.slice(2)
  await using made = server === undefined ? undefined : await freshDatabase(server)
  process.stdout.write(`${JSON.stringify(await ordeal(Number(seconds), made))}\n`)
}
