/**
 * Writes batches of results at a fixed rate. Prints one line of JSON.
 *   node bench/support/writes.ts FOLDER PER_SECOND SECONDS
 */
import { setTimeout } from 'node:timers/promises'
import { appendResults, type RawResult } from '../../src/monitoring/checks/raw-results.ts'
import { openAny, prepare } from './monitors.ts'
import { percentileOf } from './table.ts'

export interface WritesMeasured {
  readonly perSecond: number
  /** From the call until the batch is durable. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** From the scheduled time until the batch is durable. */
  readonly lateP99Ms: number
  readonly cpuUs: number
}

const BATCH = 200
const MONITORS = 100_000
const KEEP_DAYS = 90
const WARM_UP_SECONDS = 2

const [dataDir = '', perSecond = '20000', seconds = '20'] = process.argv.slice(2)
const database = await openAny({ dataDir })
await prepare(database, Date.now())

function batch(first: number): RawResult[] {
  const at = Date.now()
  return Array.from({ length: BATCH }, (_, i) => {
    return { num: 1 + ((first + i) % MONITORS), at, state: 'UP', responseMs: 80 + (i % 90), keepDays: KEEP_DAYS }
  })
}

async function write(batches: number): Promise<{ ms: number[]; lateMs: number[]; seconds: number }> {
  const [ms, lateMs]: number[][] = [[], []]
  const writing: Promise<void>[] = []
  const startedAt = performance.now()
  for (let i = 0; i < batches; i += 1) {
    const dueAt = startedAt + (i * 1000 * BATCH) / Number(perSecond)
    const early = dueAt - performance.now()
    if (early > 0) await setTimeout(early)
    const results = batch(i * BATCH)
    const handedAt = performance.now()
    const written = database.write(() => appendResults(results))
    writing.push(
      written.then(() => {
        ms?.push(performance.now() - handedAt)
        lateMs?.push(performance.now() - dueAt)
      }),
    )
  }
  await Promise.all(writing)
  return { ms: ms ?? [], lateMs: lateMs ?? [], seconds: (performance.now() - startedAt) / 1000 }
}

const batchesPerSecond = Number(perSecond) / BATCH
await write(batchesPerSecond * WARM_UP_SECONDS)
const before = process.cpuUsage()
const written = await write(batchesPerSecond * Number(seconds))
const cpu = process.cpuUsage(before)
const rows = written.ms.length * BATCH
const measured: WritesMeasured = {
  perSecond: rows / written.seconds,
  p50Ms: percentileOf(written.ms, 0.5),
  p99Ms: percentileOf(written.ms, 0.99),
  maxMs: Math.max(...written.ms),
  lateP99Ms: percentileOf(written.lateMs, 0.99),
  cpuUs: (cpu.user + cpu.system) / rows,
}
process.stdout.write(`${JSON.stringify(measured)}\n`)
await database.close()
