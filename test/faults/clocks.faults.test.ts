import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { faketimeLibrary } from './needs.ts'
import { type Host, Network } from './network.ts'
import { PharosNode } from './pharos-node.ts'
import { PostgresServer } from './postgres-server.ts'
import { storedResults } from './results.ts'
import { faultRow, type Row } from './row.ts'
import type { Site } from './site.ts'
import { INTERVAL_MS, Targets } from './targets.ts'

/** Nodes leave small differences alone. */
const MONITORS = 400
/** What new monitors may take until they are divided. */
const DIVIDED_MS = 20_000
const SKEW_S = 300
const PATIENCE_MS = 40_000

/** A node whose clock the test sets: it is wrong by what the file says. */
async function startSkewed(site: Site, host: Host, databaseUrl: string, skewSeconds: number) {
  const file = site.path(`clock-${host.address}`)
  const setSkew = (seconds: number): void => writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}s\n`)
  setSkew(skewSeconds)
  const env = {
    LD_PRELOAD: faketimeLibrary() ?? '',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    // Timers do not depend on the time of day, on a real machine either. Versions of libfaketime differ in the name.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
  }
  return { node: await PharosNode.start(site, { host, databaseUrl, env }), setSkew }
}

faultRow(
  'clocks of two nodes are 300 s ahead and behind, jump to the contrary, and the one ahead dies',
  { needs: ['network', 'postgres', 'faketime'] },
  async (row, site) => {
    const network = await Network.create(site)
    const postgres = await PostgresServer.start(site, { address: network.address })
    const [hostA, hostB] = [await network.addHost(), await network.addHost()]
    const first = await startSkewed(site, hostA, postgres.url(), SKEW_S)
    const second = await startSkewed(site, hostB, postgres.url(), -SKEW_S)
    await using targets = await Targets.start(network.address)
    const startedAt = performance.now()
    const paths = await targets.createMonitors(first.node.client, MONITORS)
    await targets.untilSettled(paths)
    const settledAt = performance.now()
    requireBalance(row, 'before the jump', targets.share(paths, startedAt + DIVIDED_MS))

    first.setSkew(-SKEW_S)
    second.setSkew(SKEW_S)
    await delay(INTERVAL_MS + 16_000)
    requireBalance(row, 'after the jump', targets.share(paths, settledAt))

    const killedAt = performance.now()
    await second.node.kill()
    await targets.untilVisited(paths, 1, killedAt, INTERVAL_MS + PATIENCE_MS).catch(() => undefined)
    targets.measureDelay(row, paths, settledAt)
    targets.measureRepeated(row, paths, startedAt, [killedAt])
    const [from, to] = [performance.timeOrigin + startedAt - 2_000, performance.timeOrigin + performance.now() + 2_000]
    const results = await storedResults(postgres)
    row.atMost('results with a wrong time', results.filter(({ at }) => at < from || at > to).length, 0)
    await row.noIncidents(first.node.client)
  },
)

function requireBalance(row: Row, when: string, share: ReadonlyMap<string, number>): void {
  const counts = [...share.values()]
  const all = counts.reduce((sum, count) => sum + count, 0)
  row.atMost(`share of the busier node ${when}`, Math.round((Math.max(...counts) / all) * 100), 65, ' %')
}
