/**
 * A node on a filled data folder whose clock may run faster, so that a few thousand monitors give the wanted number of checks per
 * second. The parent process sends a number of checks or seconds and receives the cost.
 *   fork('engine.ts', [DATA_DIR_OR_DATABASE_URL, START_AT, SPEED])
 */
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Clock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { readConfig } from '../../src/server/config/config.ts'
import { startPharos } from '../../src/server/start.ts'
import { execute } from '../../src/storage/query.ts'
import { type PostgresCounters, readPostgres } from './postgres-counters.ts'
import { storageAt } from './processes.ts'

export type Window = { readonly checks: number } | { readonly seconds: number }

export interface Measured {
  readonly checks: number
  readonly seconds: number
  /** User and system time of all threads. */
  readonly cpuUs: number
  /** Share of the time that the main thread was busy. */
  readonly loopBusy: number
  readonly mainThreadCpuUs: number
  /**
   * The longest time between two turns of the event loop. NaN for a window of checks: watching costs about 20 µs per check at
   * 1,500 checks a second.
   */
  readonly longestStallMs: number
  /**
   * The same without the time that the main thread waited for a processor, which it shares with the load, or that the hypervisor
   * gave to other machines.
   */
  readonly longestOwnStallMs: number
  readonly rssMb: number
  /** Monitors that are not UP. */
  readonly notUp: number
  /** What PostgreSQL did meanwhile; undefined on SQLite. */
  readonly postgres: PostgresCounters | undefined
}

const LOOK_EVERY_MS = 2_000
const STALL_RESOLUTION_MS = 4

const [place = '', startAt = '0', speed = '1'] = process.argv.slice(2)
const began = Date.now()
const clock: Clock = { now: () => Math.floor(Number(startAt) + (Date.now() - began) * Number(speed)) }

const config = readConfig({ PORT: '0', ...storageAt(place), PHAROS_RATE_LIMIT: '1000000000' })
const running = await startPharos(config, { clock, log: silentLog })
const { database } = running

/** Every saved result increments the revision of its monitor once. */
async function landed(): Promise<number> {
  const [row] = await database.read(
    execute(sql<{ n: number | null }>`select cast(sum(revision) as bigint) as n from monitor_states`),
  )
  return row?.n ?? 0
}

/** From the kernel's scheduler: Node's own figure misses short bursts. In microseconds, since the start. */
function mainThread(): { readonly cpu: number; readonly waited: number } {
  try {
    const [cpu, waited] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
    return { cpu: Number(cpu) / 1000, waited: Number(waited) / 1000 }
  } catch {
    return { cpu: Number.NaN, waited: 0 }
  }
}

/** What the hypervisor has given to other machines, on all processors. Not known outside Linux. In microseconds, since the start. */
function stolen(): number {
  try {
    const [processors = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
    return Number(processors.split(/ +/)[8]) * 10_000
  } catch {
    return 0
  }
}

function watchStalls() {
  const stalls = { longestMs: 0, longestOwnMs: 0, timer: setInterval(look, STALL_RESOLUTION_MS) }
  const lost = (): number => mainThread().waited + stolen()
  let [last, lostBefore] = [performance.now(), lost()]
  function look(): void {
    const [now, lostNow] = [performance.now(), lost()]
    const stallMs = now - last - STALL_RESOLUTION_MS
    stalls.longestMs = Math.max(stalls.longestMs, stallMs)
    stalls.longestOwnMs = Math.max(stalls.longestOwnMs, stallMs - (lostNow - lostBefore) / 1000)
    ;[last, lostBefore] = [now, lostNow]
  }
  return stalls
}

/** Counting reads all states, on SQLite on the main thread: a window of seconds is not interrupted by it. */
async function waitFor(window: Window, countBefore: number): Promise<void> {
  if ('seconds' in window) return setTimeout(window.seconds * 1000)
  do await setTimeout(LOOK_EVERY_MS)
  while ((await landed()) - countBefore < window.checks)
}

async function measure(window: Window): Promise<Measured> {
  const before = {
    count: await landed(),
    cpu: process.cpuUsage(),
    thread: mainThread().cpu,
    loop: performance.eventLoopUtilization(),
    at: performance.now(),
    postgres: database.engine === 'postgres' ? await readPostgres(database) : undefined,
  }
  const stalls = 'seconds' in window ? watchStalls() : undefined
  await waitFor(window, before.count)
  clearInterval(stalls?.timer)
  const count = await landed()
  const cpu = process.cpuUsage(before.cpu)
  const postgres = before.postgres && differenceOf(before.postgres, await readPostgres(database))
  const mainThreadCpuUs = mainThread().cpu - before.thread
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
    mainThreadCpuUs,
    longestStallMs: stalls?.longestMs ?? Number.NaN,
    longestOwnStallMs: stalls?.longestOwnMs ?? Number.NaN,
    rssMb: process.memoryUsage.rss() / 1e6,
    notUp: others?.n ?? 0,
    postgres,
  }
}

function differenceOf(before: PostgresCounters, after: PostgresCounters): PostgresCounters {
  const entries = Object.entries(after) as [keyof PostgresCounters, number][]
  return Object.fromEntries(entries.map(([name, value]) => [name, value - before[name]])) as unknown as PostgresCounters
}

process.on('message', async (message: Window | 'stop') => {
  if (message !== 'stop') return process.send?.(await measure(message))
  await running.stop()
  process.exit(0)
})
// Ends with the parent process.
process.on('disconnect', () => process.exit(1))
process.send?.({ url: running.url })
