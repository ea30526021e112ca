import { createOrganization } from '../../../src/accounts/organizations/create.ts'
import type { Transports } from '../../../src/contract/app-operation.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { createSealer } from '../../../src/lib/seal.ts'
import type { ChannelName } from '../../../src/notifications/contacts/channels/index.ts'
import { insertContact, type NewContact } from '../../../src/notifications/contacts/create.ts'
import { alertContacts, contactOf } from '../../../src/notifications/contacts/queries.ts'
import { renderContact } from '../../../src/notifications/contacts/render.ts'
import { type AlertSender, startAlertSender } from '../../../src/notifications/contacts/sender.ts'
import { checkSettings } from '../../../src/notifications/contacts/settings.ts'
import type { SendTiming } from '../../../src/notifications/contacts/settle.ts'
import type { NewAlert } from '../../../src/notifications/contacts/types.ts'
import { createGuard } from '../../../src/outbound/guard.ts'
import { createHttpSender } from '../../../src/outbound/http-sender.ts'
import type { Database, Engine } from '../../../src/storage/database.ts'
import { migrate } from '../../../src/storage/migrate.ts'
import { nodeLock } from '../../../src/storage/node-lock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { newTestDatabase } from '../../storage/test-database.ts'

export const sealer = createSealer([Buffer.alloc(32, 7)])

/** Everything that takes a minute takes a second, and a second a tenth of it. */
export const quickTiming: SendTiming = { groupWaitMs: 100, spacingMs: 1_000, retryDelaysMs: [200, 200, 200] }

export interface Node extends AsyncDisposable {
  readonly name: string
  readonly counts: { sent: number; failed: number; gaveUp: number }
  stop(): Promise<void>
}

export interface AlertingTest extends AsyncDisposable {
  readonly database: Database
  readonly orgId: string
  open(): Promise<Database>
  organization(): Promise<string>
  contact(channel: ChannelName, settings: object, more?: Partial<NewContact>): Promise<string>
  /** A monitor as far as contacts know monitors. */
  monitor(): Promise<{ monitorId: string; monitorNum: number }>
  alert(alert: Partial<NewAlert>): Promise<void>
  rendered(id: string): Promise<ReturnType<typeof renderContact>>
  startNode(
    name: string,
    parts?: { pace?: SendTiming; capacity?: number; database?: Database; transports?: Transports },
  ): Promise<Node>
}

export function newAlert(orgId: string, fields: Partial<NewAlert> = {}): NewAlert {
  return {
    orgId,
    kind: 'opened',
    monitorNum: null,
    monitorId: 'mon_1',
    incidentId: 'inc_1',
    subject: 'Checkout',
    target: 'https://shop.example.com',
    reason: 'Expected 200, got 503',
    at: Date.now(),
    ...fields,
  }
}

/** A database with one organization, on which contacts are told for real. */
export async function newAlertingTest(engine: Engine): Promise<AlertingTest> {
  const ground = await newTestDatabase(engine)
  const { database } = ground
  await migrate(database, Date.now())
  const organization = async (): Promise<string> =>
    (await database.write(() => createOrganization({ name: 'Test', plan: 'SELF_HOSTED' }, Date.now()))).id
  const orgId = await organization()
  const poster = createHttpSender({ guard: createGuard({ policy: 'allow' }) })
  const nodes: Node[] = []
  let monitors = 0
  return {
    database,
    orgId,
    open: () => ground.open(),
    organization,
    async contact(channel, settings, more = {}) {
      const verdict = checkSettings(channel, settings, 'allow')
      if ('faults' in verdict) throw new Error(JSON.stringify(verdict.faults))
      const contact = { orgId, name: channel, channel, settings: verdict.value, ...more }
      return (await database.write(() => insertContact(contact, sealer, Date.now()))).id
    },
    async monitor() {
      const seq = monitors++
      const row = {
        org_id: orgId,
        id: `mon_${seq}`,
        seq,
        name: 'x',
        type: 'HTTP',
        rendered: '',
        created_at: 0,
        updated_at: 0,
      }
      const [made] = await database.write(() =>
        execute(
          q
            .insertInto('monitors')
            .values({ ...row, heartbeat_token: null })
            .returning('num'),
        ),
      )
      return { monitorId: row.id, monitorNum: made?.num as number }
    },
    async alert(fields) {
      await database.write(() => alertContacts(newAlert(orgId, fields)))
    },
    async rendered(id) {
      return renderContact(await database.read(contactOf(orgId, id)))
    },
    async startNode(name, parts = {}) {
      const node = await start(name, { database, transports: { post: poster.send, mail: undefined }, ...parts })
      nodes.push(node)
      return node
    },
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node.stop()
      poster.close()
      await ground[Symbol.asyncDispose]()
    },
  }
}

interface Parts {
  readonly database: Database
  readonly transports: Transports
  readonly pace?: SendTiming
  readonly capacity?: number
}

async function start(name: string, { database, transports, pace = quickTiming, capacity = 50 }: Parts): Promise<Node> {
  const life = await database.tryLock(nodeLock(name))
  const counts = { sent: 0, failed: 0, gaveUp: 0 }
  const sender: AlertSender = startAlertSender({
    ...{ database, transports, sealer, timing: pace, capacity },
    clock: systemClock,
    random: { random: () => 0.5 },
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
  const stop = (): Promise<void> => {
    stopped ??= sender.stop().then(() => life?.release())
    return stopped
  }
  return { name, counts, stop, [Symbol.asyncDispose]: stop }
}
