/**
 * A whole node that checks, on a folder that was filled before, with a clock that may run faster, so that a few thousand
 * monitors give as many checks a second as wanted. It is a process of its own, in which nothing else happens; the parent
 * sends a window (so many checks, or so many seconds) and gets what it took.
 *   fork('engine.ts', [DATA_DIR, START_AT, SPEED])
 */
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Clock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { readConfig } from '../../src/server/config/config.ts'
import { startPharos } from '../../src/server/start.ts'
import { execute, q } from '../../src/storage/query.ts'

export type Window = { readonly checks: number } | { readonly seconds: number }

export interface Measured {
  readonly checks: number
  readonly seconds: number
  /** All threads, all of it: user and system. */
  readonly cpuUs: number
  /** The share of the time in which the main thread was not waiting. */
  readonly loopBusy: number
  readonly mainThreadCpuUs: number
  readonly rssMb: number
  /** How many monitors are not up, of all. */
  readonly notUp: number
}

/** Counting costs little (see `landed`), and it is in what is measured. */
const LOOK_EVERY_MS = 2_000

const [dataDir = '', startAt = '0', speed = '1'] = process.argv.slice(2)
const began = Date.now()
const clock: Clock = { now: () => Math.floor(Number(startAt) + (Date.now() - began) * Number(speed)) }

const config = readConfig({ PORT: '0', PHAROS_DATA_DIR: dataDir, PHAROS_RATE_LIMIT: '1000000000' })
const running = await startPharos(config, { clock, log: silentLog })
const { database } = running

/** Results are only ever appended, so the last row's number in each part is how many there are. */
async function landed(): Promise<number> {
  const parts = await database.read(execute(q.selectFrom('result_parts').select('name')))
  let sum = 0
  for (const { name } of parts) {
    const [row] = await database.read(execute(sql<{ n: number | null }>`select max(rowid) as n from ${sql.table(name)}`))
    sum += row?.n ?? 0
  }
  return sum
}

/** By the scheduler's own count: what Node tells of a thread misses much of what is done in short bursts. */
function mainThreadCpuUs(): number {
  try {
    const [ns] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
    return Number(ns) / 1000
  } catch {
    return Number.NaN
  }
}

async function measure(window: Window): Promise<Measured> {
  const before = {
    count: await landed(),
    cpu: process.cpuUsage(),
    thread: mainThreadCpuUs(),
    loop: performance.eventLoopUtilization(),
    at: performance.now(),
  }
  let count = before.count
  do {
    await setTimeout(LOOK_EVERY_MS)
    count = await landed()
  } while (
    'checks' in window ? count - before.count < window.checks : performance.now() - before.at < window.seconds * 1000
  )
  const cpu = process.cpuUsage(before.cpu)
  const mainThread = mainThreadCpuUs() - before.thread
  const { utilization } = performance.eventLoopUtilization(before.loop)
  const seconds = (performance.now() - before.at) / 1000
  const [others] = await database.read(
    execute(sql<{ n: number }>`select count(*) as n from monitor_states where state <> 'UP'`),
  )
  return {
    checks: count - before.count,
    seconds,
    cpuUs: cpu.user + cpu.system,
    loopBusy: utilization,
    mainThreadCpuUs: mainThread,
    rssMb: process.memoryUsage.rss() / 1e6,
    notUp: others?.n ?? 0,
  }
}

process.on('message', async (message: Window | 'stop') => {
  if (message !== 'stop') return process.send?.(await measure(message))
  await running.stop()
  process.exit(0)
})
// A parent that is gone wants nothing any more.
process.on('disconnect', () => process.exit(1))
process.send?.({ url: running.url })
