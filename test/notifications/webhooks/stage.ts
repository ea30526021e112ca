import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { createOrganization } from '../../../src/accounts/organizations/create.ts'
import { emit } from '../../../src/events/emit.ts'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import { newId } from '../../../src/lib/ids.ts'
import { type Log, silentLog } from '../../../src/lib/log.ts'
import { createSealer } from '../../../src/lib/seal.ts'
import type { Disabling } from '../../../src/notifications/webhooks/record.ts'
import { newSecret, sealSecret } from '../../../src/notifications/webhooks/secret.ts'
import { type Sender, startSender } from '../../../src/notifications/webhooks/sender.ts'
import { parsePolicy } from '../../../src/outbound/addresses.ts'
import { createGuard } from '../../../src/outbound/guard.ts'
import type { Post } from '../../../src/outbound/post.ts'
import { createPost } from '../../../src/outbound/poster.ts'
import type { Database, Engine } from '../../../src/storage/database.ts'
import { lifeLock } from '../../../src/storage/lives.ts'
import { migrate } from '../../../src/storage/migrate.ts'
import { ask, q, type Work } from '../../../src/storage/query.ts'
import { enroll } from '../../../src/storage/roster.ts'
import type { AttemptTable, DeliveryTable, EndpointTable } from '../../../src/storage/schema.ts'
import { newGround } from '../../storage/open.ts'
import { eventually } from '../../support/eventually.ts'

export const sealer = createSealer([Buffer.alloc(32, 3)])

export interface TestEndpoint {
  readonly id: string
  readonly secret: string
}

export interface SendingOptions {
  readonly clock?: Clock
  readonly schedule?: readonly number[]
  readonly policy?: string
  readonly timeoutMs?: number
  readonly capacity?: number
  readonly node?: string
  /** Another way to send, in place of the real one's. */
  readonly post?: (real: Post) => Post
  readonly log?: Log
}

export interface Sending extends AsyncDisposable {
  readonly sender: Sender
  readonly node: string
  readonly disabled: readonly Disabling[]
  readonly lateMs: readonly number[]
  readonly faults: () => number
  stop(): Promise<void>
}

/** A database with an organization, endpoints in it, events for them, and senders; all real. */
export async function newStage(engine: Engine) {
  const ground = await newGround(engine)
  const { database } = ground
  await migrate(database, Date.now())
  const org = await database.write(() => createOrganization({ name: 'Test', plan: 'SELF_HOSTED' }, Date.now()))
  let nodes = 0
  const senders = new Set<Sending>()

  async function endpoint(url: string, extra: Partial<EndpointTable> = {}, now = Date.now()): Promise<TestEndpoint> {
    const id = newId('we', now)
    const secret = newSecret()
    await database.write(function* () {
      const { seq } = yield* enroll(org.id, 'endpoint')
      yield* ask(q.insertInto('webhook_endpoints').values({ ...blank(org.id, id, secret, seq, url, now), ...extra }))
    })
    return { id, secret }
  }

  /** Something happens: every endpoint is told. Gives what `data` says, in order. */
  async function happen(count = 1, now = Date.now(), on: Database = database): Promise<void> {
    await on.write(function* () {
      for (let i = 0; i < count; i += 1)
        yield* emit({ orgId: org.id, type: 'monitor.created', data: `{"n":${i}}`, now })
    })
  }

  async function send(options: SendingOptions = {}, on: Database = database): Promise<Sending> {
    const node = options.node ?? `node-${++nodes}`
    const life = await on.tryLock(lifeLock(node))
    const policy = parsePolicy(options.policy ?? 'allow')
    const poster = createPost({ guard: createGuard({ policy }), timeoutMs: options.timeoutMs ?? 15_000 })
    const disabled: Disabling[] = []
    const lateMs: number[] = []
    let faults = 0
    const sender = startSender({
      ...{ database: on, sealer, policy, node },
      clock: options.clock ?? systemClock,
      log: options.log ?? silentLog,
      post: options.post?.(poster.post) ?? poster.post,
      delaysSeconds: options.schedule ?? [0, 5, 300],
      random: () => 0.5,
      capacity: options.capacity ?? 400,
      counts: {
        attempted: (_, late) => void lateMs.push(late),
        faulted() {
          faults += 1
        },
      },
      *onDisabled(disabling): Work<void> {
        disabled.push(disabling)
        yield* ask(sql`select 1`)
      },
    })
    const stop = async (): Promise<void> => {
      if (!senders.delete(sending)) return
      await sender.stop()
      poster.close()
      await life?.release()
    }
    const sending = { sender, node, disabled, lateMs, faults: () => faults, stop, [Symbol.asyncDispose]: stop }
    senders.add(sending)
    return sending
  }

  const rows = <T>(built: Parameters<typeof ask>[0]): Promise<readonly T[]> =>
    Promise.resolve(database.read(ask(built))) as Promise<readonly T[]>

  return {
    ...ground,
    database,
    orgId: org.id,
    endpoint,
    happen,
    send,
    deliveries: () => rows<DeliveryTable>(q.selectFrom('webhook_deliveries').selectAll().orderBy('seq')),
    attempts: () =>
      rows<AttemptTable>(q.selectFrom('webhook_attempts').selectAll().orderBy('started_at').orderBy('number')),
    async endpointRow(id: string) {
      const [row] = await rows<EndpointTable>(q.selectFrom('webhook_endpoints').selectAll().where('id', '=', id))
      assert.ok(row)
      return row
    },
    change(id: string, to: Partial<EndpointTable>) {
      return database.write(() => ask(q.updateTable('webhook_endpoints').set(to).where('id', '=', id)))
    },
    /** Waits until no delivery is due any more, and nobody has a claim. */
    async settled(timeoutMs = 10_000) {
      await eventually(async () => {
        const busy = await rows(q.selectFrom('webhook_endpoints').select('id').where('claimed_by', 'is not', null))
        const due = await rows(
          q.selectFrom('webhook_deliveries').select('id').where('next_attempt_at', '<=', Date.now()),
        )
        assert.deepEqual([busy.length, due.length], [0, 0], 'something is still to be done')
      }, timeoutMs)
    },
    async [Symbol.asyncDispose]() {
      for (const sending of senders) await sending.stop()
      await ground[Symbol.asyncDispose]()
    },
  }
}

export type Stage = Awaited<ReturnType<typeof newStage>>

function blank(orgId: string, id: string, secret: string, seq: number, url: string, now: number): EndpointTable {
  return {
    ...{ org_id: orgId, id, seq, url, description: null, event_types: '["*"]', enabled: 1, disabled_reason: null },
    ...{ secret: sealSecret(sealer, orgId, id, secret), previous_secret: null, previous_secret_expires_at: null },
    ...{ last_delivery_at: null, failing_since: null, due_at: null, claimed_by: null },
    ...{ created_at: now, updated_at: now },
  }
}
