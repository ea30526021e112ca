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
export class Checkpointer {
  readonly #file: string
  readonly #synchronous: Synchronous
  #worker: Worker | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  #nextMs = EVERY_MS

  constructor(file: string, synchronous: Synchronous) {
    this.#file = file
    this.#synchronous = synchronous
  }

  /** To be called with every write. */
  noteWrite(): void {
    if (this.#timer !== undefined || this.#isClosed) return
    this.#timer = setTimeout(() => this.#run(), this.#nextMs)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#worker?.terminate()
  }

  #run(): void {
    this.#timer = undefined
    if (this.#worker === undefined && this.#logBytes() < START_AT_BYTES) return
    this.#worker ??= this.#start()
    this.#worker.postMessage('checkpoint')
  }

  #start(): Worker {
    const workerData = { file: this.#file, synchronous: this.#synchronous }
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData, resourceLimits })
    worker.unref()
    // Without the thread, the writing connection makes a checkpoint when the log has become larger (connection.ts).
    worker.on('error', () => undefined)
    worker.on('message', (pages: number) => {
      this.#nextMs = pages >= MANY_PAGES ? SOON_MS : EVERY_MS
    })
    worker.on('exit', () => {
      this.#worker = undefined
    })
    return worker
  }

  /** `stat` alone: opening and closing the file would release the locks that SQLite holds on it. */
  #logBytes(): number {
    return statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }
}
