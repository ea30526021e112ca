import { setTimeout as delay } from 'node:timers/promises'
import { BOOTSTRAP_KEY } from '../support/server.ts'
import { Network } from './network.ts'
import { PharosNode } from './pharos-node.ts'
import { PostgresServer } from './postgres-server.ts'
import { faultRow, type Row } from './row.ts'
import { INTERVAL_MS, SLOW_MS, Targets } from './targets.ts'

/** So many that each of the two nodes has some. */
const MONITORS = 200
const TAKEOVER_LIMIT_S = 15
/** More than any limit, so that a failure is measured, too. */
const PATIENCE_MS = 40_000

faultRow('the host of a node disappears, and returns', { needs: ['network', 'postgres'] }, async (row, site) => {
  const network = await Network.create(site)
  const postgres = await PostgresServer.start(site, { address: network.address })
  const [hostA, hostB] = [await network.addHost(), await network.addHost()]
  const databaseUrl = postgres.url()
  const survivor = await PharosNode.start(site, { databaseUrl, host: hostB })
  const lost = await PharosNode.start(site, { databaseUrl, host: hostA })
  await using targets = await Targets.start(network.address, SLOW_MS)
  const paths = await targets.createMonitors(survivor.client, MONITORS)
  const slowMonitor = await targets.createMonitor(survivor.client, '/slow', {
    intervalSeconds: 86_400,
    timeoutSeconds: 60,
  })
  await targets.untilSettled(paths)

  // A request with a key that the lost node will never finish.
  targets.hold(lost.address, '/slow')
  const visitsBefore = targets.visits('/slow').length
  const path = `/monitors/${slowMonitor}/check`
  const request = { 'idempotency-key': 'host-loss' }
  const given = new AbortController()
  const headers = { ...request, 'x-api-key': BOOTSTRAP_KEY, 'content-type': 'application/json' }
  const unanswered = fetch(`${lost.url}/api/v1${path}`, { method: 'POST', headers, body: '{}', signal: given.signal })
  unanswered.catch(() => undefined)
  while (targets.visits('/slow').length === visitsBefore) await delay(10)

  const since = performance.now() - INTERVAL_MS
  const cutAt = performance.now()
  const checkedByLost = targets.share(paths, since).get(lost.address) ?? 0
  await hostA.cut()
  const released = await untilKeyIsFree(survivor, path, request)
  given.abort()
  row.withinSeconds('its Idempotency-Key answered by another node after', released - cutAt, TAKEOVER_LIMIT_S)
  await targets.untilVisited(paths, 1, cutAt, INTERVAL_MS + PATIENCE_MS).catch(() => undefined)
  row.atLeast('monitors of the lost node', checkedByLost, MONITORS / 10)
  targets.measureDelay(row, paths, cutAt)

  const healedAt = performance.now()
  await hostA.heal()
  await requireReturn(row, lost, healedAt)
  // Long enough for results of the time alone, and for half of the monitors to be due.
  await delay(INTERVAL_MS / 2)
  targets.measureRepeated(row, paths, cutAt, [cutAt])
  await row.noIncidents(survivor.client)
})

/** The moment at which a request with a key got another answer than "in progress". */
async function untilKeyIsFree(node: PharosNode, path: string, headers: Record<string, string>): Promise<number> {
  const giveUpAt = performance.now() + PATIENCE_MS
  while (performance.now() < giveUpAt) {
    const { status } = await node.client.post(path, {}, headers)
    if (status === 200) return performance.now()
    await delay(100)
  }
  return Number.POSITIVE_INFINITY
}

/** The node notices that it was given up and works again. */
async function requireReturn(row: Row, node: PharosNode, healedAt: number): Promise<void> {
  let isReady = false
  while (!isReady && performance.now() < healedAt + PATIENCE_MS) {
    isReady = (await node.ready(1_000)).status === 200
    if (!isReady) await delay(100)
  }
  row.withinSeconds('ready again after', isReady ? performance.now() - healedAt : Number.POSITIVE_INFINITY, 15)
}
