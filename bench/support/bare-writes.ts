/**
 * Baseline for a commit: appends about as many bytes to a file and flushes it at the same rate. Prints one line of JSON.
 *   node bench/support/bare-writes.ts FOLDER PER_SECOND SECONDS
 */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { percentileOf } from './table.ts'

export interface BareWrites {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** Three pages with their headers in the log: what a commit of 200 results writes. */
const bytes = Buffer.alloc(3 * (4096 + 24), 1)
/** Restarts at the beginning after this size, as the log does. */
const LARGEST = 16_000_000

const [folder = '', perSecond = '100', seconds = '15'] = process.argv.slice(2)
const file = openSync(join(folder, 'bare'), 'w')
const taken: number[] = []
const startedAt = performance.now()
for (let i = 0; i < Number(perSecond) * Number(seconds); i += 1) {
  const early = startedAt + (i * 1000) / Number(perSecond) - performance.now()
  if (early > 0) await setTimeout(early)
  const at = performance.now()
  writeSync(file, bytes, 0, bytes.length, (i * bytes.length) % LARGEST)
  fdatasyncSync(file)
  taken.push(performance.now() - at)
}
closeSync(file)
const measured: BareWrites = {
  p50Ms: percentileOf(taken, 0.5),
  p99Ms: percentileOf(taken, 0.99),
  maxMs: Math.max(...taken),
}
process.stdout.write(`${JSON.stringify(measured)}\n`)
