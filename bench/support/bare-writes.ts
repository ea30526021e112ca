/**
 * The bare limit of a commit: about as many bytes as one writes, appended to a file and flushed at the same pace. Prints one
 * line of JSON.
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

/** Three pages with their heads in the log: what 200 results and the index of the tables come to. */
const bytes = Buffer.alloc(3 * (4096 + 24), 1)
/** Then it begins anew, as the log does. */
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
