import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Synchronous } from './connection.ts'

/** How often the log is copied into the database while there are writes. */
const EVERY_MS = 3_000
/** The same after many pages were copied: commits wait longer the more pages are flushed at once. */
const SOON_MS = 500
const MANY_PAGES = 1_000
/** A smaller log needs no thread. */
const START_AT_BYTES = 4_194_304
/** The thread only runs statements. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 }

/**
 * Copies the write-ahead log into the database file (a checkpoint) in a thread of its own. In the connection that writes,
 * SQLite would do it within a commit, and so block the event loop while thousands of pages are written and flushed. The
 * thread starts when the log is large for the first time.
 */
export function createCheckpointer(file: string, synchronous: Synchronous) {
  let worker: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let nextMs = EVERY_MS

  function run(): void {
    timer = undefined
    if (worker === undefined && logBytes() < START_AT_BYTES) return
    worker ??= start()
    worker.postMessage('checkpoint')
  }

  function start(): Worker {
    const options = { workerData: { file, synchronous }, resourceLimits }
    const started = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), options)
    started.unref()
    // Without the thread, the writing connection makes a checkpoint when the log has become larger (connection.ts).
    started.on('error', () => undefined)
    started.on('message', (pages: number) => {
      nextMs = pages >= MANY_PAGES ? SOON_MS : EVERY_MS
    })
    started.on('exit', () => {
      worker = undefined
    })
    return started
  }

  /** `stat` alone: opening and closing the file would release the locks that SQLite holds on it. */
  function logBytes(): number {
    return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }

  return {
    /** To be called with every write. */
    noteWrite(): void {
      if (timer === undefined && !isClosed) timer = setTimeout(run, nextMs).unref()
    },
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      await worker?.terminate()
    },
  }
}
