/**
 * Reads pages of stored checks in a database with many results, while results are written. Prints one line of JSON.
 *   node bench/support/checks.ts FOLDER_OR_URL RESULTS
 */
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts'
import { findChecks } from '../../src/monitoring/check-results/find.ts'
import { type BlockAddition, storeBlocks } from '../../src/monitoring/check-results/store.ts'
import { memoryText, readMemory } from '../../src/monitoring/monitor-states/memory.ts'
import type { ResultState } from '../../src/monitoring/monitor-states/result-log.ts'
import { type DbWork, execute, q } from '../../src/storage/query.ts'
import { type Percentiles, percentilesOf } from './figures.ts'
import { addMonitors, openAny, prepare, runSql, startBenchNode } from './monitors.ts'

export interface ChecksMeasured {
  readonly results: number
  /** `select 1` between the pages: what the machine and the writes add to any statement. */
  readonly control: Percentiles
  readonly pages: readonly ({ readonly name: string; readonly total: number } & Percentiles)[]
}

const INTERVAL_MS = 30_000
const BLOCK_MS = 40 * 60_000
const PER_BLOCK = BLOCK_MS / INTERVAL_MS
const PER_DAY = DAY_MS / INTERVAL_MS
const MONITORS = 40
const KEEP_DAYS = 365
/** Written meanwhile: 10,000 monitors every 30 s. */
const WRITTEN_MONITORS = 10_000
const FLUSH_MS = 100
const RUNS = 200
const WARM_UP_RUNS = 30

/** UP with one failure a day · always DOWN · DOWN with one success a day · checked once a day. The others are UP. */
const [ONE_DOWN, ALL_DOWN, ONE_UP, ONE_A_DAY] = [1, 2, 3, 4]
/** The block of the day with what happens once a day. */
const ONE_BLOCK = 12

const [place = '', wanted = '10000000'] = process.argv.slice(2)
const database = await openAny(place)
const now = Date.now()
const today = Math.floor(now / DAY_MS) * DAY_MS
const days = Math.ceil(Number(wanted) / (MONITORS * PER_DAY))

function block(letter: 'U' | 'D', last = letter): string {
  return Array.from(
    { length: PER_BLOCK },
    (_, i) => `${i * INTERVAL_MS}${i === PER_BLOCK - 1 ? last : letter}118`,
  ).join()
}

/** The blocks of a day up to `until`, and the rows of its results other than UP. */
async function fillDay(dayAt: number, until: number): Promise<void> {
  const blocks = Math.floor((until - dayAt) / BLOCK_MS)
  if (blocks === 0) return
  const n = (last: number) => `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${last - 1})`
  const count = (letter: string) => `length(results) - length(replace(results, '${letter}', ''))`
  const text = `case when num = ${ONE_A_DAY} then '0U118' when num = ${ONE_DOWN} and i = ${ONE_BLOCK} then '${block('U', 'D')}' when num in (${ALL_DOWN}, ${ONE_UP}) and not (num = ${ONE_UP} and i = ${ONE_BLOCK}) then '${block('D')}' when num = ${ONE_UP} then '${block('D', 'U')}' else '${block('U')}' end`
  await runSql(
    database,
    `insert into result_blocks (num, first_at, expires_at, up, degraded, down, inconclusive, results)
     ${n(blocks)} select num, first_at, ${dayAt + (KEEP_DAYS + 1) * DAY_MS}, ${count('U')}, 0, ${count('D')}, 0, results from (
       select num, ${dayAt} + i * ${BLOCK_MS} as first_at, ${text} as results
       from n, monitor_states where num <> ${ONE_A_DAY} or i = ${ONE_BLOCK}) as blocks`,
  )
  const at = `${dayAt} + i * ${INTERVAL_MS}`
  const isDown = `(num = ${ALL_DOWN} or (num = ${ONE_UP}) <> (i = ${ONE_BLOCK * PER_BLOCK + PER_BLOCK - 1}))`
  await runSql(
    database,
    `insert into check_reasons (num, at, code, error, expires_at) ${n(blocks * PER_BLOCK)}
     select num, ${at}, 'STATUS', 'HTTP 503 Service Unavailable (expected 200)', ${dayAt + (KEEP_DAYS + 1) * DAY_MS}
     from n, monitor_states where num <= ${ONE_UP} and ${isDown}`,
  )
}

async function fill(): Promise<void> {
  await addMonitors(database, MONITORS, { type: 'HTTP', url: 'https://example.com/', intervalSeconds: 30 }, now)
  for (let day = days; day > 0; day -= 1) await fillDay(today - day * DAY_MS, today - (day - 1) * DAY_MS)
  await fillDay(today, now)
  const results = { firstAt: now, storedCharacters: 0, pending: '0U118' }
  const memory = memoryText({ ...readMemory('{}', now), results })
  await database.write(() => execute(q.updateTable('monitor_states').set({ memory })))
  await runSql(database, 'analyze')
  // In this cluster autovacuum is off, and nothing else has read the rows: the first reader of a page would write it.
  if (database.engine === 'postgres') {
    await database.read(execute(sql`vacuum`))
    await database.read(execute(sql`checkpoint`))
  }
}

interface Case {
  readonly name: string
  readonly num: number
  readonly offset?: number
  readonly state?: ResultState
  readonly from?: number
  readonly to?: number
}

const deep = Math.min(100_000, days * PER_DAY - 500)
const cases: readonly Case[] = [
  { name: 'newest', num: 9 },
  { name: 'offset 10,000', num: 9, offset: Math.min(10_000, deep) },
  { name: `offset ${deep}`, num: 9, offset: deep },
  { name: 'between two times of day', num: 9, from: now - 40 * DAY_MS - HOUR_MS, to: now - 10 * DAY_MS, offset: 3_000 },
  { name: 'UP', num: 9, state: 'UP' },
  { name: `UP, offset ${deep}`, num: 9, state: 'UP', offset: deep },
  { name: 'UP, one a day', num: ONE_UP, state: 'UP' },
  { name: 'one check a day', num: ONE_A_DAY },
  { name: 'DOWN, one a day', num: ONE_DOWN, state: 'DOWN' },
  { name: 'DOWN, all', num: ALL_DOWN, state: 'DOWN' },
  { name: `DOWN, all, offset ${deep}`, num: ALL_DOWN, state: 'DOWN', offset: deep },
  { name: 'any, all DOWN', num: ALL_DOWN },
  { name: 'DEGRADED, none', num: 9, state: 'DEGRADED' },
  { name: 'INCONCLUSIVE, none', num: 9, state: 'INCONCLUSIVE' },
]

/** Every check of 12 appends to a block. */
function batchAt(i: number): BlockAddition[] {
  const size = Math.round((WRITTEN_MONITORS * FLUSH_MS) / INTERVAL_MS / 12)
  const results = Array.from({ length: 12 }, (_, k) => `${k * INTERVAL_MS}U${80 + k}`).join()
  return Array.from({ length: size }, (_, k) => {
    const num = 100 + ((i * size + k) % WRITTEN_MONITORS)
    return { num, firstAt: Math.floor(now / BLOCK_MS) * BLOCK_MS, results, keepDays: KEEP_DAYS }
  })
}

await prepare(database, now)
const node = await startBenchNode(database)
await fill()
let batches = 0
const writing = setInterval(() => void database.write(() => storeBlocks(batchAt(batches++))), FLUSH_MS)
async function timed<T>(times: number[], work: () => DbWork<T>): Promise<T> {
  await setTimeout(2)
  const start = performance.now()
  const value = await database.read(work())
  times.push(performance.now() - start)
  return value
}

const controls: number[] = []

async function measure({ name, num, offset = 0, state, from = 0, to = Number.MAX_SAFE_INTEGER }: Case, runs: number) {
  const times: number[] = []
  let total = 0
  for (let i = 0; i < runs; i += 1) {
    const of = num + (num === 9 ? i % 30 : 0)
    const found = await timed(times, () => findChecks(of, { from, to, state }, { limit: 100, offset }))
    await timed(controls, () => execute(sql`select 1`))
    total = found.total
  }
  return { name, total, ...percentilesOf(times) }
}

// V8 compiles what runs often; a server has done that.
for (const each of cases) await measure(each, WARM_UP_RUNS)
controls.length = 0
const pages: ChecksMeasured['pages'][number][] = []
for (const each of cases) pages.push(await measure(each, RUNS))
clearInterval(writing)
await setTimeout(50)
const measured: ChecksMeasured = {
  results: days * PER_DAY * MONITORS,
  control: percentilesOf(controls),
  pages,
}
process.stdout.write(`${JSON.stringify(measured)}\n`)
await node.stop()
await database.close()
