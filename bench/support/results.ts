/**
 * Moves results into blocks of a filled part, counts and drops the part, while results are written and read. Prints one line of JSON.
 *   node bench/support/results.ts sqlite|postgres FOLDER_OR_URL ROWS
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { DAY_MS } from '../../src/lib/clock.ts'
import { maintainResults } from '../../src/monitoring/checks/merge-results.ts'
import { appendResults, openTableAt, type RawResult } from '../../src/monitoring/checks/raw-results.ts'
import { ensurePart } from '../../src/monitoring/checks/result-parts.ts'
import { LOG_CHARACTERS, logLine } from '../../src/monitoring/monitor-states/recent-log.ts'
import { findChecks } from '../../src/monitoring/statistics/find-checks.ts'
import { execute, q } from '../../src/storage/query.ts'
import { createDelayMeter, type Delays } from './delay-meter.ts'
import { addMonitors, copyRows, openAny, prepare, startBenchNode } from './monitors.ts'
import { percentileOf } from './table.ts'

export interface Phase {
  readonly seconds: number
  readonly delays: Delays
  /** Of a process beside this one that does nothing. */
  readonly idleDelays: Delays
  readonly writeP99Ms: number
  readonly readP50Ms: number
  readonly readP99Ms: number
  readonly readMaxMs: number
}

export interface ResultsMeasured {
  readonly move: Phase
  readonly count: Phase
  readonly rest: Phase
  readonly drop: Phase
  readonly bytesPerResult: number
}

/** 10,000 monitors every 30 s. */
const MONITORS = 10_000
const INTERVAL_MS = 30_000
const TURN_MS = 300_000
/** So many are moved; the turns before are there already. */
const MOVED_TURNS = 10
const PER_TURN = (MONITORS * TURN_MS) / INTERVAL_MS
const FLUSH_MS = 100
const READ_EVERY_MS = 20
const KEEP_DAYS = 90
const page = { limit: 50, offset: 0 }
const REST_MS = 30_000

const [engine = 'sqlite', location = '', rows = '1000000'] = process.argv.slice(2)
const rowCount = Number(rows)
const database = await openAny(engine === 'sqlite' ? { dataDir: location } : { databaseUrl: location })
/** The day of the results to move. */
const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS
/** The results that are written meanwhile are of this time, and later by a millisecond per batch. Near the end of the day at first. */
let now = start + DAY_MS - TURN_MS

async function prepareAll(): Promise<void> {
  await prepare(database, now)
  await addMonitors(database, 1, { type: 'HTTP', url: 'https://example.com/', intervalSeconds: 30 }, now)
  await copyRows(database, 'monitors', MONITORS, { id: "id || '-' || i", seq: 'i' })
  await copyRows(database, 'monitor_states', MONITORS, {})
  // Logs begin before the results that are moved, as logs of monitors that are checked do. Else pages are searched for in open tables.
  const lines = Array.from({ length: LOG_CHARACTERS / 10 }, (_, i) =>
    logLine({ at: start - i * INTERVAL_MS, state: 'UP', responseMs: 100 }),
  )
  const log = lines.join('').slice(0, LOG_CHARACTERS)
  await database.write(() => execute(q.updateTable('monitor_states').set({ recent_results: log })))
}

/** The blocks of these turns, as if they had been moved. */
async function fillBlocks(turns: number): Promise<void> {
  const results = Array.from({ length: TURN_MS / INTERVAL_MS }, (_, i) => `${i * INTERVAL_MS}U${80 + i}`).join(',')
  for (let from = 1; from <= MONITORS; from += MONITORS / 20) {
    const nums = `nums(num) as (select ${from} union all select num + 1 from nums where num < ${from + MONITORS / 20 - 1})`
    const all = `turns(turn) as (select 0 union all select turn + 1 from turns where turn < ${turns - 1})`
    const firstAt = `${start} + turn * ${TURN_MS} + (num - 1) * ${INTERVAL_MS} / ${MONITORS}`
    await database.write(function* () {
      const part = yield* ensurePart(database.engine, start, KEEP_DAYS)
      const values = `select num, ${firstAt}, '${results}' from nums cross join turns`
      yield* execute(sql.raw(`with recursive ${nums}, ${all} insert into ${part} (num, first_at, results) ${values}`))
    })
  }
}

/** The results of one turn of a table, five minutes, in a table that is not in turn. */
async function fillTurn(turn: number): Promise<void> {
  const table = openTableAt(now + 2 * TURN_MS)
  const size = Math.min(PER_TURN, rowCount - turn * PER_TURN)
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
    ...{ num: 1 + ((i * size + k) % MONITORS), at: now + (i % TURN_MS), state: 'UP' as const },
    ...{ responseMs: 80 + (k % 90), keepDays: KEEP_DAYS },
  }))
}

type Measure = (step: () => Promise<unknown>) => Promise<void>

/** Measures while `measure` runs its argument, which `work` calls any number of times. */
async function measured(work: (measure: Measure) => Promise<void>): Promise<Phase> {
  const [writes, reads]: [number[], number[]] = [[], []]
  let seconds = 0
  await work(async (step) => {
    await setTimeout(20)
    const stopLoad = startLoad(writes, reads)
    meter.start()
    idle.send('start')
    const from = performance.now()
    await step()
    seconds += (performance.now() - from) / 1000
    meter.stop()
    idle.send('stop')
    await stopLoad()
  })
  idle.send('read')
  const [beside] = (await once(idle, 'message')) as [Delays]
  return {
    seconds,
    delays: meter.read(),
    idleDelays: beside,
    writeP99Ms: percentileOf(writes, 0.99),
    readP50Ms: percentileOf(reads, 0.5),
    readP99Ms: percentileOf(reads, 0.99),
    readMaxMs: Math.max(...reads),
  }
}

let batches = 0

/** Writes results and reads pages until the returned function is called, which waits for them. */
function startLoad(writes: number[], reads: number[]): () => Promise<void> {
  const underWay = new Set<Promise<void>>()
  const timed = (into: number[], what: () => Promise<unknown>) => {
    const from = performance.now()
    const running = what().then(() => {
      into.push(performance.now() - from)
      underWay.delete(running)
    })
    underWay.add(running)
    return running
  }
  let isReading = false
  const writing = setInterval(() => {
    const results = batchAt(batches++)
    void timed(writes, () => database.write(() => appendResults(results)))
  }, FLUSH_MS)
  const reading = setInterval(async () => {
    if (isReading) return
    isReading = true
    const to = Math.floor(start + Math.random() * (now - start))
    const num = 1 + Math.floor(Math.random() * MONITORS)
    await timed(reads, () => database.read(findChecks(num, { from: 0, to, state: undefined }, page)))
    isReading = false
  }, READ_EVERY_MS)
  return async () => {
    clearInterval(writing)
    clearInterval(reading)
    await Promise.all(underWay)
  }
}

async function maintainUntilDone(): Promise<void> {
  while (await maintainResults(database, now)) await new Promise((resolve) => setImmediate(resolve))
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

const meter = createDelayMeter()
const idle = fork(fileURLToPath(new URL('idle.ts', import.meta.url)))
await prepareAll()
const node = await startBenchNode(database)
const firstTurn = Math.max(0, Math.ceil(rowCount / PER_TURN) - MOVED_TURNS)
if (firstTurn > 0) await fillBlocks(firstTurn)
const move = await measured(async (measure) => {
  for (let turn = firstTurn; turn * PER_TURN < rowCount; turn += 1) {
    await fillTurn(turn)
    await measure(maintainUntilDone)
  }
})
const bytes = await sizeOfBlocks()
now = start + DAY_MS + 5 * TURN_MS
const counted = await measured((measure) => measure(maintainUntilDone))
const rest = await measured((measure) => measure(() => setTimeout(REST_MS)))
// By then only the moved day has expired.
now = start + (KEEP_DAYS + 1) * DAY_MS
const drop = await measured((measure) => measure(maintainUntilDone))
const result: ResultsMeasured = { move, count: counted, rest, drop, bytesPerResult: bytes / rowCount }
process.stdout.write(`${JSON.stringify(result)}\n`)
idle.disconnect()
await node.stop()
await database.close()
