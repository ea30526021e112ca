import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Synchronous } from './connection.ts'

const { file, synchronous } = workerData as { file: string; synchronous: Synchronous }
/**
 * The log starts over only if nothing was written since the last page was copied. A checkpoint does not report what was written
 * while it ran, so it is repeated, which is shorter each time, until one finds the log as the one before has left it.
 */
const MAX_PASSES = 8
/** From this size on, the log is made to start over: a larger one would make the writing connection copy pages within a commit. */
const RESTART_AT_PAGES = 6_000
/** For how long the thread waits for a transaction to end. Writers wait for the thread meanwhile. */
const WAIT_MS = 10

interface Progress {
  readonly log: number
  readonly checkpointed: number
}

const database = new DatabaseSync(file, { timeout: WAIT_MS })
database.exec(`pragma synchronous = ${synchronous}; pragma cache_size = -512`)
// Passive: waits for nobody, and nobody waits for it.
const checkpoint = database.prepare('pragma wal_checkpoint(passive)')
const restart = database.prepare('pragma wal_checkpoint(restart)')

/** The pages in the log that were copied when the log was last seen. */
let copied = 0

parentPort?.on('message', () => {
  const before = copied
  try {
    let [log, last] = [-1, -2]
    for (let pass = 0; pass < MAX_PASSES && log !== last; pass += 1) {
      last = log
      const progress = checkpoint.get() as unknown as Progress
      log = progress.log
      copied = progress.checkpointed
    }
    // Few pages are left to be copied, so this is short.
    if (log !== last && log >= RESTART_AT_PAGES) restart.get()
  } catch {
    // A full or failing disk. The log keeps what was written; the next write reports the fault.
  }
  // If the log has started over since then, all its pages are new.
  parentPort?.postMessage(copied >= before ? copied - before : copied)
})
