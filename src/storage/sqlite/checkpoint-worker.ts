import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const { file, synchronous } = workerData as { file: string; synchronous: 'full' | 'off' }
/** The log starts over only if nothing was written since the last page was copied, so a short second pass is made. */
const MAX_PASSES = 5

const database = new DatabaseSync(file, { timeout: 0 })
database.exec(`pragma synchronous = ${synchronous}; pragma cache_size = -512`)
// Passive: waits for nobody, and nobody waits for it.
const checkpoint = database.prepare('pragma wal_checkpoint(passive)')

parentPort?.on('message', () => {
  try {
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number }
      if (log === checkpointed) return
    }
  } catch {
    // A full or failing disk. The log keeps what was written; the next write reports the fault.
  }
})
