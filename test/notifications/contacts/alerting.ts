import assert from 'node:assert/strict'
import { createOrganization } from '../../../src/accounts/organizations/create.ts'
import type { Transports } from '../../../src/contract/services.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { createSealer } from '../../../src/lib/seal.ts'
import { uptimeSince } from '../../../src/monitoring/uptime/uptime-since.ts'
import type { ChannelName } from '../../../src/notifications/contacts/channels/index.ts'
import { insertContact, type NewContact } from '../../../src/notifications/contacts/create.ts'
import { alertContacts, contactOf } from '../../../src/notifications/contacts/queries.ts'
import { renderContact } from '../../../src/notifications/contacts/render.ts'
import { startAlertSender } from '../../../src/notifications/contacts/sender.ts'
import { checkSettings } from '../../../src/notifications/contacts/settings.ts'
import type { SendTiming } from '../../../src/notifications/contacts/settle.ts'
import type { NewAlert } from '../../../src/notifications/contacts/types.ts'
import { createGuard } from '../../../src/outbound/guard.ts'
import { createHttpSender } from '../../../src/outbound/http-sender.ts'
import type { Database, Engine } from '../../../src/storage/database.ts'
import { execute, q } from '../../../src/storage/query.ts'
import type { ContactTable } from '../../../src/storage/schema/contacts.ts'
import { migratedTestDatabase } from '../../storage/test-database.ts'
import { HandClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { addNode } from '../../support/nodes.ts'
import { words } from '../../support/reasons.ts'
import type { TestServer } from '../../support/server.ts'
import { startService } from './service.ts'

export const sealer = createSealer([Buffer.alloc(32, 7)])

/** Short enough for tests that run on the system clock. */
export const quickTiming: SendTiming = { groupWaitMs: 100, spacingMs: 1_000, retryDelaysMs: [200, 200, 200] }

interface Node extends AsyncDisposable {
  readonly name: string
  readonly counts: { sent: number; failed: number; gaveUp: number }
  nudge(): void
  stop(graceMs?: number): Promise<void>
}

interface NodeOptions {
  readonly timing?: SendTiming
  readonly capacity?: number
  readonly database?: Database
  readonly clock?: Clock
}

export interface AlertingTest extends AsyncDisposable {
  readonly database: Database
  readonly orgId: string
  readonly clock: HandClock
  open(): Promise<Database>
  organization(): Promise<string>
  contact(channel: ChannelName, settings: object, more?: Partial<NewContact>): Promise<string>
  /** Inserts the row of a monitor. */
  monitor(): Promise<{ monitorId: string; monitorNum: number }>
  alert(alert: Partial<NewAlert>): Promise<void>
  rendered(id: string): Promise<ReturnType<typeof renderContact>>
  startNode(name: string, options?: NodeOptions): Promise<Node>
  /** Advances the clock and waits until no contact is due or claimed: until then the nodes send nothing more. */
  advance(ms: number): Promise<void>
  /** Advances the clock by the spacing of messages, so that every alert added so far is sent. */
  deliver(): Promise<void>
}

/** Each incident is of a monitor of its own unless the test names one: a monitor with three outages flaps. */
export function newAlert(orgId: string, fields: Partial<NewAlert> = {}): NewAlert {
  return {
    orgId,
    kind: 'opened',
    monitorNum: null,
    monitorId: (fields.incidentId ?? 'inc_1').replace('inc', 'mon'),
    incidentId: 'inc_1',
    subject: 'Checkout',
    target: 'https://shop.example.com',
    reason: words('HTTP 503 Service Unavailable (expected 200)'),
    at: Date.now(),
    ...fields,
  }
}

/** A database with one organization, and nodes that send to real sockets. The clock moves only when the test advances it. */
export async function newAlertingTest(engine: Engine): Promise<AlertingTest> {
  const base = await migratedTestDatabase(engine)
  const { database } = base
  const clock = new HandClock()
  const organization = async (): Promise<string> =>
    (await database.write(() => createOrganization({ name: 'Test', plan: 'SELF_HOSTED' }, clock.now()))).id
  const orgId = await organization()
  const http = createHttpSender({ guard: createGuard({ policy: 'allow' }) })
  const nodes: Node[] = []
  let monitors = 0
  let timing = quickTiming
  const alertingTest: AlertingTest = {
    database,
    orgId,
    clock,
    open: () => base.open(),
    organization,
    async contact(channel, settings, more = {}) {
      const verdict = checkSettings(channel, settings, 'allow')
      if ('faults' in verdict) throw new Error(JSON.stringify(verdict.faults))
      const contact = { orgId, name: channel, channel, settings: verdict.value, ...more }
      return (await database.write(() => insertContact(contact, sealer, clock.now()))).id
    },
    async monitor() {
      const seq = monitors++
      const row = {
        org_id: orgId,
        id: `mon_${seq}`,
        seq,
        name: 'x',
        name_key: 'x',
        type: 'HTTP',
        interval_seconds: 60,
        grace_seconds: 0,
        settings: '{}',
        created_at: 0,
        updated_at: 0,
      }
      const [created] = await database.write(() =>
        execute(
          q
            .insertInto('monitors')
            .values({ ...row, heartbeat_token: null })
            .returning('num'),
        ),
      )
      return { monitorId: row.id, monitorNum: created?.num as number }
    },
    async alert(fields) {
      await database.write(() => alertContacts(newAlert(orgId, { at: clock.now(), ...fields })))
    },
    async rendered(id) {
      return renderContact(await database.read(contactOf(orgId, id)), { mail: undefined })
    },
    async startNode(name, options = {}) {
      timing = options.timing ?? quickTiming
      const transports = { post: http.send, mail: undefined }
      const node = await startNode(name, { database, clock, transports, timing, ...options })
      nodes.push(node)
      return node
    },
    async advance(ms) {
      clock.advance(ms)
      const busy = q
        .selectFrom('contacts')
        .select('id')
        .where((is) => is.or([is('due_at', '<=', clock.now() - timing.groupWaitMs), is('claimed_by', 'is not', null)]))
      await eventually(async () => {
        for (const node of nodes) node.nudge()
        assert.deepEqual(await database.read(execute(busy)), [])
      })
    },
    deliver: () => alertingTest.advance(timing.spacingMs),
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node.stop()
      http.close()
      await base[Symbol.asyncDispose]()
    },
  }
  return alertingTest
}

/** The same with a webhook contact and a node. `judge` answers the messages to the contact, by default with 200. */
export async function newHookTest(
  engine: Engine,
  options: NodeOptions = {},
  judge?: Parameters<typeof startService>[0],
) {
  const stage = await newAlertingTest(engine)
  const service = await startService(judge)
  const contactId = await stage.contact('WEBHOOK', { url: service.url })
  const node = await stage.startNode('a', options)
  return {
    ...stage,
    service,
    contactId,
    node,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    },
  }
}

/** Adds a webhook contact to the default organization of a server. */
export async function addHook(server: TestServer, url: string): Promise<ContactTable> {
  const orgId = await server.defaultOrgId()
  const contact = { orgId, name: 'Hook', channel: 'WEBHOOK', settings: { url } } as const
  return server.running.database.write(() => insertContact(contact, sealer, Date.now()))
}

interface StartOptions extends NodeOptions {
  readonly database: Database
  readonly clock: Clock
  readonly transports: Transports
  readonly timing: SendTiming
}

async function startNode(name: string, { capacity = 50, ...options }: StartOptions): Promise<Node> {
  const member = await addNode(options.database, name)
  const counts = { sent: 0, failed: 0, gaveUp: 0 }
  const sender = startAlertSender({
    ...options,
    capacity,
    sealer,
    random: () => 0.5,
    uptimeSince,
    log: silentLog,
    node: name,
    baseUrl: () => 'https://pharos.example.com',
    counters: {
      sent: () => {
        counts.sent += 1
      },
      failed: () => {
        counts.failed += 1
      },
      gaveUp: (_channel, alerts) => {
        counts.gaveUp += alerts
      },
    },
  })
  let stopped: Promise<void> | undefined
  const stop = (graceMs?: number): Promise<void> => {
    stopped ??= sender.stop(graceMs).then(() => member.remove())
    return stopped
  }
  return { name, counts, nudge: () => sender.nudge(), stop, [Symbol.asyncDispose]: () => stop() }
}
