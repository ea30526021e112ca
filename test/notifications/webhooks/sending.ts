import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { createOrganization } from '../../../src/accounts/organizations/create.ts'
import { emit } from '../../../src/events/emit.ts'
import { newId } from '../../../src/lib/ids.ts'
import { type Log, silentLog } from '../../../src/lib/log.ts'
import { createSealer } from '../../../src/lib/seal.ts'
import { newSecret, sealSecret, sealUrl } from '../../../src/notifications/webhooks/secret.ts'
import { startSender } from '../../../src/notifications/webhooks/sender.ts'
import type { DisabledEndpoint } from '../../../src/notifications/webhooks/settle.ts'
import { parseAddressPolicy } from '../../../src/outbound/address-policy.ts'
import { createGuard } from '../../../src/outbound/guard.ts'
import { createHttpSender } from '../../../src/outbound/http-sender.ts'
import type { SendHttp } from '../../../src/outbound/outgoing-request.ts'
import type { Database, Engine } from '../../../src/storage/database.ts'
import { addToList } from '../../../src/storage/list-index.ts'
import { type DbWork, execute, q } from '../../../src/storage/query.ts'
import type { AttemptTable, DeliveryTable, EndpointTable } from '../../../src/storage/schema/webhooks.ts'
import { migratedTestDatabase } from '../../storage/test-database.ts'
import { HandClock } from '../../support/clock.ts'
import { addNode } from '../../support/nodes.ts'

export const sealer = createSealer([Buffer.alloc(32, 3)])

export interface TestEndpoint {
  readonly id: string
  readonly secret: string
}

export interface NodeOptions {
  readonly schedule?: readonly number[]
  readonly policy?: string
  readonly timeoutMs?: number
  readonly capacity?: number
  /** Replaces sending over the network. */
  readonly post?: SendHttp
  readonly log?: Log
  readonly database?: Database
}

/** A node that sends webhooks. */
export interface TestNode extends AsyncDisposable {
  readonly name: string
  readonly disabled: readonly DisabledEndpoint[]
  readonly attempts: () => number
  readonly faults: () => number
  /** Looks for due endpoints now instead of at the next tick. */
  nudge(): void
  /** Resolves when nothing is due any more, and nothing is being sent. */
  sendDue(): Promise<void>
  stop(): Promise<void>
}

/** A database with an organization, endpoints and events, and nodes that send, with a clock that the test moves. */
export async function newSendingTest(engine: Engine) {
  const base = await migratedTestDatabase(engine)
  const { database } = base
  // Near the real time, because the reference library checks the age of a signature.
  const clock = new HandClock()
  const org = await database.write(() => createOrganization({ name: 'Test', plan: 'SELF_HOSTED' }, clock.now()))
  const nodes = new Set<TestNode>()
  const reads = readsOf(database)
  let started = 0

  async function endpoint(url: string, extra: Partial<EndpointTable> = {}): Promise<TestEndpoint> {
    const id = newId('we', clock.now())
    const secret = newSecret()
    await database.write(function* () {
      const { seq } = yield* addToList(org.id, 'endpoint')
      const row = {
        org_id: org.id,
        id,
        seq,
        event_types: '["*"]',
        enabled: 1,
        url: sealUrl(sealer, org.id, id, url),
        secret: sealSecret(sealer, org.id, id, secret),
        older_secrets: '[]',
        created_at: clock.now(),
        updated_at: clock.now(),
      }
      yield* execute(q.insertInto('webhook_endpoints').values({ ...row, ...extra }))
    })
    return { id, secret }
  }

  /** Emits events to every endpoint, with `{n: 0}`, `{n: 1}`, … as data. */
  async function emitEvents(count = 1, on: Database = database): Promise<void> {
    await on.write(function* () {
      for (let n = 0; n < count; n += 1) {
        yield* emit({ orgId: org.id, type: 'monitor.created', data: `{"n":${n}}`, now: clock.now() })
      }
    })
  }

  async function node(options: NodeOptions = {}): Promise<TestNode> {
    started += 1
    const name = `node-${started}`
    const { database: on = database } = options
    const member = await addNode(on, name)
    const policy = parseAddressPolicy(options.policy ?? 'allow')
    const http = createHttpSender({ guard: createGuard({ policy }), timeoutMs: options.timeoutMs ?? 15_000 })
    const disabled: DisabledEndpoint[] = []
    let attempts = 0
    let faults = 0
    const sender = startSender({
      database: on,
      clock,
      sealer,
      policy,
      node: name,
      log: options.log ?? silentLog,
      post: options.post ?? http.send,
      delaysSeconds: options.schedule ?? [0, 5, 300],
      random: () => 0.5,
      capacity: options.capacity ?? 200,
      counters: {
        underWay() {},
        attempted() {
          attempts += 1
        },
        faulted() {
          faults += 1
        },
      },
      *onDisabled(endpoint): DbWork<void> {
        disabled.push(endpoint)
        yield* execute(sql`select 1`)
      },
    })
    const stop = async (): Promise<void> => {
      if (!nodes.delete(created)) return
      await sender.stop()
      http.close()
      await member.remove()
    }
    const created: TestNode = {
      name,
      disabled,
      attempts: () => attempts,
      faults: () => faults,
      nudge: () => sender.nudge(),
      async sendDue() {
        while (await reads.isAnythingDue(clock.now(), name)) {
          sender.nudge()
          await delay(2)
        }
      },
      stop,
      [Symbol.asyncDispose]: stop,
    }
    nodes.add(created)
    return created
  }

  return {
    ...base,
    database,
    clock,
    orgId: org.id,
    endpoint,
    emitEvents,
    node,
    ...reads,
    async [Symbol.asyncDispose]() {
      for (const each of nodes) await each.stop()
      await base[Symbol.asyncDispose]()
    },
  }
}

function readsOf(database: Database) {
  const rows = async <T>(built: Parameters<typeof execute>[0]) =>
    (await database.read(execute(built))) as readonly unknown[] as readonly T[]
  const deliveries = () => rows<DeliveryTable>(q.selectFrom('webhook_deliveries').selectAll().orderBy('seq'))
  const endpoints = q.selectFrom('webhook_endpoints').selectAll()
  return {
    deliveries,
    attempts: () =>
      rows<AttemptTable>(q.selectFrom('webhook_attempts').selectAll().orderBy('started_at').orderBy('number')),
    async endpointRow(id: string) {
      const [row] = await rows<EndpointTable>(endpoints.where('id', '=', id))
      assert.ok(row)
      return row
    },
    /** Whether an endpoint is due, or claimed by this node. */
    async isAnythingDue(now: number, node: string): Promise<boolean> {
      const due = endpoints.where((is) => is.or([is('due_at', '<=', now), is('claimed_by', '=', node)]))
      return (await rows(due)).length > 0
    },
    change(id: string, to: Partial<EndpointTable>) {
      return database.write(() => execute(q.updateTable('webhook_endpoints').set(to).where('id', '=', id)))
    },
    /** The statuses of deliveries, with how many have each. */
    async statuses(): Promise<Record<string, number>> {
      const byStatus = Map.groupBy(await deliveries(), ({ status }) => status)
      return Object.fromEntries([...byStatus].map(([status, some]) => [status, some.length]))
    },
  }
}

export type SendingTest = Awaited<ReturnType<typeof newSendingTest>>
