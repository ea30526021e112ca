import { setTimeout as delay } from 'node:timers/promises'
import { PharosNode } from './pharos-node.ts'
import { PostgresServer } from './postgres-server.ts'
import { resultGaps } from './results.ts'
import { faultRow } from './row.ts'
import { INTERVAL_MS, SLOW_MS, Targets } from './targets.ts'

/** So many that each of the two nodes has some. */
const MONITORS = 200
/** All monitors of the stopped node become due meanwhile. */
const STOPPED_MS = INTERVAL_MS + 2_000
/** What the continued node had planned, it would do within this time. */
const CONTINUED_MS = 20_000
const PATIENCE_MS = 40_000

faultRow(
  'a node is stopped (SIGSTOP) for 32 s and continued; then the other one is killed',
  { needs: ['postgres'] },
  async (row, site) => {
    const postgres = await PostgresServer.start(site)
    const databaseUrl = postgres.url()
    const other = await PharosNode.start(site, { databaseUrl })
    const stopped = await PharosNode.start(site, { databaseUrl })
    await using targets = await Targets.start('127.0.0.1', SLOW_MS)
    const paths = await targets.createMonitors(other.client, MONITORS)
    await targets.untilSettled(paths)

    const [assigned] = await postgres.query(
      `select count(*)::int as n from monitor_states where claimed_by like '%-${stopped.pid}-%'`,
    )
    row.atLeast('monitors of the stopped node', Number(assigned?.n), MONITORS / 10)
    const stoppedAt = performance.now()
    stopped.freeze()
    await delay(STOPPED_MS)
    stopped.thaw()
    await delay(CONTINUED_MS)
    targets.measureDelay(row, paths, stoppedAt)
    row.holds('the continued node is ready', (await stopped.ready()).status === 200, (await stopped.ready()).body)

    const killedAt = performance.now()
    await other.kill()
    await targets.untilVisited(paths, 1, killedAt, INTERVAL_MS + PATIENCE_MS).catch(() => undefined)
    targets.measureDelay(row, paths, killedAt, { what: 'the same after the kill' })
    targets.measureRepeated(row, paths, stoppedAt, [stoppedAt, killedAt])
    const stored = await resultGaps(postgres, performance.timeOrigin + stoppedAt)
    row.atMost('results stored twice within half an interval', stored.filter((ms) => ms < INTERVAL_MS / 2).length, 0)
    await row.noIncidents(stopped.client)
  },
)
