/**
 * Measures the day bars of a status page on a filled data folder. Prints one line of JSON.
 *   node bench/support/bars.ts FOLDER PAGES SHOWN DAYS NOW
 */

import { organizationWithIdOrSlug } from '../../src/accounts/organizations/queries.ts'
import { DAY_MS } from '../../src/lib/clock.ts'
import { daysOfMonitors } from '../../src/publishing/public-site/uptime/stored-days.ts'
import { percentileOf } from './figures.ts'
import { openAny } from './monitors.ts'

export interface BarsMeasured {
  readonly firstMs: number
  readonly medianMs: number
  readonly p99Ms: number
  /** CPU time, which depends less on other load. */
  readonly cpuMs: number
}

const RUNS = 200
const WARM_UP = 30

const [dataDir = '', pages = '1', shown = '50', days = '90', now = '0'] = process.argv.slice(2)
const from = (Math.floor(Number(now) / DAY_MS) - (Number(days) - 1)) * DAY_MS

const database = await openAny(dataDir)
const orgId = (await database.read(organizationWithIdOrSlug('default')))?.id as string
const times: number[] = []
let before = process.cpuUsage()
for (let run = 0; run < WARM_UP + RUNS; run += 1) {
  if (run === WARM_UP) before = process.cpuUsage()
  // A different page each time, to measure more than the cache.
  const pageId = `pag_${run % Number(pages)}`
  const startedAt = performance.now()
  const bars = await database.read(daysOfMonitors({ orgId, pageId }, from))
  times.push(performance.now() - startedAt)
  if (bars.size !== Number(shown)) throw new Error(`The page has the days of ${bars.size} monitors`)
  for (const { firstAt } of bars.values()) if (firstAt !== from) throw new Error('A monitor lacks days')
}
const { user, system } = process.cpuUsage(before)
const measured: BarsMeasured = {
  firstMs: times[0] as number,
  medianMs: percentileOf(times.slice(WARM_UP), 0.5),
  p99Ms: percentileOf(times.slice(WARM_UP), 0.99),
  cpuMs: (user + system) / 1000 / RUNS,
}
process.stdout.write(`${JSON.stringify(measured)}\n`)
await database.close()
