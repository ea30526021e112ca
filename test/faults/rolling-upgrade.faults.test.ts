import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { BOOTSTRAP_KEY, type Client, clientOf } from '../support/server.ts'
import { Clients } from './clients.ts'
import { PharosNode } from './pharos-node.ts'
import { PostgresServer } from './postgres-server.ts'
import { startHaproxy } from './proxies.ts'
import { faultRow, type Row } from './row.ts'
import { INTERVAL_MS, Targets } from './targets.ts'

/** 15,000 monitors are 500 checks per second: `PHAROS_UPGRADE_MONITORS=15000 PHAROS_UPGRADE_REQUESTS=200`. */
const MONITORS = Number(process.env.PHAROS_UPGRADE_MONITORS ?? 150)
const REQUESTS_PER_SECOND = Number(process.env.PHAROS_UPGRADE_REQUESTS ?? 40)
/** Monitors that go down and up again, one after the other, while nodes are replaced. */
const OUTAGES = 20
/** Two monitors each. */
const CONTACTS = OUTAGES / 2
const SETTLE_MS = 1_500
/** A check that comes sooner after the one before is a repetition. */
const REPEATED_MS = 5_000

const reads = ['/monitors?limit=2', '/monitor-list?limit=2', '/incidents?limit=2', '/contacts', '/webhook-endpoints']

faultRow(
  'three nodes behind HAProxy are upgraded to a version with another schema in turn, and back',
  { needs: ['postgres', 'haproxy'], limitMs: 400_000 + MONITORS * 30 },
  async (row, site) => {
    const postgres = await PostgresServer.start(site)
    const env = {
      PHAROS_PRIVATE_TARGETS: 'allow',
      PHAROS_PRIVATE_WEBHOOKS: 'allow',
      PHAROS_CONFIRM_DELAYS: '',
      PHAROS_ALERT_WAIT: '0',
    }
    const options = { databaseUrl: postgres.url(), env }
    const nodes: PharosNode[] = []
    for (let i = 0; i < 3; i += 1) nodes.push(await PharosNode.start(site, options))
    const { url } = await startHaproxy(site, nodes)
    await using targets = await Targets.start()
    await using events = await startReceiver()
    await using alerts = await startReceiver()
    const client = clientOf(url, { 'x-api-key': BOOTSTRAP_KEY })
    const failing = await createAlerting(client, targets, events, alerts)
    const paths = await targets.createMonitors(client, MONITORS)

    const clients = new Clients(url, REQUESTS_PER_SECOND, reads)
    const startedAt = performance.now()
    const outages = changeInTurn(client, targets, failing, 'DOWN')
    const replace = async (version: 'this' | 'next'): Promise<void> => {
      for (const node of nodes) {
        await node.stop()
        await node.start(version)
        await delay(SETTLE_MS)
      }
    }
    await replace('next')
    clients.failures.push(...(await outages))
    const recoveries = changeInTurn(client, targets, failing, 'UP')
    const [{ schema } = {}] = await postgres.query('select max(id) as schema from migrations')
    await replace('this')
    clients.failures.push(...(await recoveries))
    await clients.end()

    row.holds('the next version has changed the schema', Number(schema) > 1)
    row.atLeast('requests', clients.count, 500)
    row.none('failed', clients.failures, () => clients.failures.slice(0, 3).join(', '))
    measureChecks(row, targets, paths, startedAt)
    await measureAlerts(row, postgres, events, alerts)
  },
)

interface Failing {
  readonly id: string
  readonly path: string
}

/** Monitors whose outages are reported to a webhook endpoint and to contacts. */
async function createAlerting(
  client: Client,
  targets: Targets,
  events: Receiver,
  alerts: Receiver,
): Promise<Failing[]> {
  const failing: Failing[] = []
  for (let i = 0; i < OUTAGES; i += 1) {
    const path = `/failing-${i}`
    const id = await targets.createMonitor(client, path)
    const labels = { contact: `${Math.floor(i / 2)}` }
    const answer = await client.send('PUT', `/monitors/${id}/labels`, { labels })
    if (answer.status !== 200) throw new Error(`Setting labels answered ${answer.status}`)
    failing.push({ path, id })
  }
  await created(client, '/webhook-endpoints', {
    url: events.url,
    eventTypes: ['incident.opened', 'incident.resolved'],
  })
  for (let i = 0; i < CONTACTS; i += 1) {
    await created(client, '/contacts', {
      name: `Contact ${i}`,
      channel: 'WEBHOOK',
      settings: { url: alerts.url },
      covers: 'LABELS',
      selector: `contact=${i}`,
    })
  }
  return failing
}

async function created(client: Client, path: string, body: object): Promise<void> {
  const answer = await client.post(path, body)
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}

/** Changes one target after the other, and checks its monitor through the API. */
async function changeInTurn(
  client: Client,
  targets: Targets,
  failing: readonly Failing[],
  state: 'DOWN' | 'UP',
): Promise<string[]> {
  const failures: string[] = []
  for (const { path, id } of failing) {
    targets.fail(path, state === 'DOWN')
    const status = await client.post(`/monitors/${id}/check`, {}).then(
      (answer) => `HTTP ${answer.status}`,
      (error: Error) => error.message,
    )
    if (status !== 'HTTP 200') failures.push(`a check of ${path}: ${status}`)
    await delay(500)
  }
  return failures
}

function measureChecks(row: Row, targets: Targets, paths: readonly string[], since: number): void {
  const gaps = targets.gaps(paths, since)
  const checks = gaps.length
  row.atLeast('checks per second', Math.round(checks / ((performance.now() - since) / 1_000)), 1)
  const explain = ({ path }: { path: string }): string => targets.describe(path, since)
  const missed = gaps.filter(({ ms }) => ms >= 2 * INTERVAL_MS)
  row.none('checks missed', missed, explain)
  const repeated = gaps.filter(({ ms }) => ms < REPEATED_MS)
  row.none('checks repeated', repeated, explain)
  targets.measureDelay(row, paths, since, { what: 'longest delay of a check', limitSeconds: INTERVAL_MS / 1_000 })
}

/** Each outage and each recovery is reported once. Messages to a contact are a minute apart, so that recoveries may be waiting. */
async function measureAlerts(row: Row, postgres: PostgresServer, events: Receiver, alerts: Receiver): Promise<void> {
  const reported = new Map<string, number>()
  const add = (kind: string, monitorId: unknown): void => {
    const change = `${kind} ${monitorId}`
    reported.set(change, (reported.get(change) ?? 0) + 1)
  }
  await eventually(async () => {
    const waiting = await postgres.query('select id from webhook_deliveries where next_attempt_at is not null')
    if (waiting.length > 0) throw new Error('Deliveries are waiting.')
  }, 20_000)
  for (const { event } of events.messages) add(event.type, event.data.monitor.id)
  const waiting = await postgres.query('select kind, monitor_id from alerts where due_at is not null')
  const sent = alerts.messages.flatMap(({ event }) => event.alerts as { kind: string; monitorId: string }[])
  for (const { kind, monitorId } of sent) add(kind, monitorId)
  for (const { kind, monitor_id } of waiting) add(String(kind), monitor_id)
  row.atLeast('events and alerts sent', events.messages.length + sent.length, 3 * OUTAGES)
  row.atMost(`lost of ${4 * OUTAGES}`, 4 * OUTAGES - reported.size, 0)
  row.none(
    'sent twice',
    [...reported].filter(([, times]) => times > 1),
    ([change, times]) => `${change}: ${times}`,
  )
}
