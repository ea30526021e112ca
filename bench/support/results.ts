/**
 * Moves many results into blocks and drops their part, while results are written and read. Prints one line of JSON.
 *   node bench/support/results.ts sqlite|postgres FOLDER_OR_URL ROWS
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { DAY_MS } from '../../src/lib/clock.ts'
import { maintainResults } from '../../src/monitoring/checks/merge-results.ts'
import { appendResults, openTableAt, type RawResult } from '../../src/monitoring/checks/raw-results.ts'
import { findChecks } from '../../src/monitoring/statistics/find-checks.ts'
import { execute } from '../../src/storage/query.ts'
import { addMonitors, openAny, prepare, startBenchNode } from './monitors.ts'
import { percentileOf } from './table.ts'

export interface Phase {
  readonly seconds: number
  /** How late timers of the main thread were. */
  readonly delayP99Ms: number
  readonly delayMaxMs: number
  /** The most CPU time of the main thread without a break: what blocks it, whatever else the machine does. */
  readonly blockedMaxMs: number
  readonly writeP99Ms: number
  readonly readP50Ms: number
  readonly readP99Ms: number
  readonly readMaxMs: number
}

export interface ResultsMeasured {
  readonly move: Phase
  readonly rest: Phase
  readonly drop: Phase
  readonly bytesPerResult: number
}

/** 10,000 monitors every 30 s. */
const MONITORS = 10_000
const INTERVAL_MS = 30_000
const TURN_MS = 300_000
const PER_TURN = (MONITORS * TURN_MS) / INTERVAL_MS
const FLUSH_MS = 100
const READ_EVERY_MS = 20
const KEEP_DAYS = 90
const page = { limit: 50, offset: 0 }
const RESOLUTION_MS = 2

const [engine = 'sqlite', location = '', rows = '1000000'] = process.argv.slice(2)
const count = Number(rows)
const database = await openAny(engine === 'sqlite' ? { dataDir: location } : { databaseUrl: location })
/** The results to move are of this time. Yesterday, so that none of their tables is in turn. */
const now = Date.now()
const start = Math.floor(now / DAY_MS) * DAY_MS - DAY_MS

async function prepareAll(): Promise<void> {
  await prepare(database, now)
  await addMonitors(database, 1, { type: 'HTTP', url: 'https://example.com/', intervalSeconds: 30 }, now)
}

/** The results of one turn of a table, five minutes, in a table that is not in turn. */
async function fillTurn(turn: number): Promise<void> {
  const table = openTableAt(now + 2 * TURN_MS)
  const size = Math.min(PER_TURN, count - turn * PER_TURN)
  const numbers = `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${size - 1})`
  const at = `${start + turn * TURN_MS} + (i / ${MONITORS}) * ${INTERVAL_MS} + (i % ${MONITORS}) * ${INTERVAL_MS} / ${MONITORS}`
  const values = `1 + i % ${MONITORS}, ${at}, 1, 80 + i % 90, ${KEEP_DAYS}`
  await database.write(() =>
    execute(sql.raw(`insert into ${table} (num, at, state, ms, keep_days) ${numbers} select ${values} from n`)),
  )
}

function batchAt(i: number): RawResult[] {
  const size = Math.round((MONITORS * FLUSH_MS) / INTERVAL_MS)
  return Array.from({ length: size }, (_, k) => ({
    ...{ num: 1 + ((i * size + k) % MONITORS), at: Date.now(), state: 'UP' as const },
    ...{ responseMs: 80 + (k % 90), keepDays: KEEP_DAYS },
  }))
}

/** Measures while `measure` runs its argument, which `work` calls any number of times. */
async function measured(
  work: (measure: (step: () => Promise<unknown>) => Promise<void>) => Promise<void>,
): Promise<Phase> {
  const [writes, reads]: [number[], number[]] = [[], []]
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let [batches, seconds, blockedMaxMs] = [0, 0, 0]
  const timed = async (into: number[], what: () => Promise<unknown>) => {
    const from = performance.now()
    await what()
    into.push(performance.now() - from)
  }
  await work(async (step) => {
    await setTimeout(20)
    let isReading = false
    const writing = setInterval(() => {
      const results = batchAt(batches++)
      void timed(writes, () => database.write(() => appendResults(results)))
    }, FLUSH_MS)
    const reading = setInterval(() => {
      if (isReading) return
      isReading = true
      const to = Math.floor(start + Math.random() * (now - start))
      const num = 1 + Math.floor(Math.random() * MONITORS)
      void timed(reads, () => database.read(findChecks(num, { from: 0, to, state: undefined }, page))).finally(() => {
        isReading = false
      })
    }, READ_EVERY_MS)
    let cpu = process.threadCpuUsage()
    const watching = setInterval(() => {
      const { user, system } = process.threadCpuUsage(cpu)
      blockedMaxMs = Math.max(blockedMaxMs, (user + system) / 1000)
      cpu = process.threadCpuUsage()
    }, 1)
    delay.enable()
    const from = performance.now()
    await step()
    seconds += (performance.now() - from) / 1000
    delay.disable()
    clearInterval(watching)
    clearInterval(writing)
    clearInterval(reading)
    await setTimeout(50)
  })
  return {
    seconds,
    blockedMaxMs,
    delayP99Ms: delay.percentile(99) / 1e6 - RESOLUTION_MS,
    delayMaxMs: delay.max / 1e6 - RESOLUTION_MS,
    writeP99Ms: percentileOf(writes, 0.99),
    readP50Ms: percentileOf(reads, 0.5),
    readP99Ms: percentileOf(reads, 0.99),
    readMaxMs: Math.max(...reads),
  }
}

async function maintainUntilDone(at: number): Promise<void> {
  while (await maintainResults(database, at)) await new Promise((resolve) => setImmediate(resolve))
}

async function sizeOfBlocks(): Promise<number> {
  const [row] = await database.read(
    execute(sql<{ name: string }>`select name from result_parts where day_at = ${start}`),
  )
  if (row === undefined) throw new Error('There is no part')
  const [size] = await database.read(
    execute(
      engine === 'postgres'
        ? sql<{ bytes: number }>`select pg_total_relation_size(${row.name}::regclass) as bytes`
        : sql<{ bytes: number }>`select sum(length(results) + 14) as bytes from ${sql.table(row.name)}`,
    ),
  )
  return size?.bytes ?? 0
}

await prepareAll()
const node = await startBenchNode(database)
const move = await measured(async (measure) => {
  for (let turn = 0; turn * PER_TURN < count; turn += 1) {
    await fillTurn(turn)
    await measure(() => maintainUntilDone(now))
  }
})
const bytes = await sizeOfBlocks()
const rest = await measured((measure) => measure(() => setTimeout(3_000)))
// By then only the moved day has expired.
const drop = await measured((measure) => measure(() => maintainUntilDone(start + (KEEP_DAYS + 1) * DAY_MS)))
const result: ResultsMeasured = { move, rest, drop, bytesPerResult: bytes / count }
process.stdout.write(`${JSON.stringify(result)}\n`)
await node.stop()
await database.close()
