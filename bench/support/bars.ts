/**
 * What the day bars of a page of monitors cost on a folder that was filled before. Prints one line of JSON.
 *   node bench/support/bars.ts FOLDER MONITORS SHOWN DAYS NOW
 */
import { dayBars } from '../../src/checks/uptime.ts'
import { openAny } from './monitors.ts'
import { percentileOf } from './table.ts'

export interface BarsMeasured {
  readonly firstMs: number
  readonly medianMs: number
  readonly p99Ms: number
  /** Of the processor's time; what the others come to on a machine with nothing else to do. */
  readonly cpuMs: number
}

const RUNS = 200
const WARM_UP = 30

const [dataDir = '', monitors = '0', shown = '50', days = '90', now = '0'] = process.argv.slice(2)

/** Other ones every time, so that not only the cache is measured; a stride that shares no factor with their number. */
function page(run: number): number[] {
  return Array.from({ length: Number(shown) }, (_, i) => 1 + ((run * 17 + i * 7) % Number(monitors)))
}

const database = await openAny({ dataDir })
const times: number[] = []
let before = process.cpuUsage()
for (let run = 0; run < WARM_UP + RUNS; run += 1) {
  if (run === WARM_UP) before = process.cpuUsage()
  const nums = page(run)
  const startedAt = performance.now()
  const bars = await database.read(dayBars(nums, Number(days), Number(now)))
  times.push(performance.now() - startedAt)
  const short = nums.find((num) => bars.get(num)?.length !== Number(days))
  if (short !== undefined) throw new Error(`Monitor ${short} has ${bars.get(short)?.length} bars`)
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
