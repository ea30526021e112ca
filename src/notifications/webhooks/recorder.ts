import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import type { Database } from '../../storage/database.ts'
import { type OnDisabled, type Recording, recordAll } from './record.ts'

/** Bounds how long one transaction takes. */
const AT_ONCE = 500
/** With more than this unwritten nothing new is begun. */
const MOST_WAITING = 2_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** Writes attempts in batches while the next ones are made. */
export interface Recorder {
  /** `written` is called once the attempt is in the database. */
  add(recording: Recording, written: () => void): void
  readonly isFull: boolean
  /** Writes what is left, unless the database does not take it. */
  stop(): Promise<void>
}

interface Waiting {
  readonly recording: Recording
  readonly written: () => void
}

export function startRecorder(parts: {
  readonly database: Database
  readonly log: Log
  readonly onDisabled: OnDisabled
}): Recorder {
  const { database, log, onDisabled } = parts
  let waiting: Waiting[] = []
  let isStopping = false
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; waiting.length > 0; ) {
      const batch = waiting.slice(0, AT_ONCE)
      const recordings = batch.map(({ recording }) => recording)
      try {
        await database.write(() => recordAll(recordings, onDisabled), 'patient')
      } catch (error) {
        log.error({ err: error, attempts: waiting.length }, 'attempts could not be written; this is tried again')
        // What stays unwritten is sent again by whoever claims it next.
        if (isStopping) return
        await pause(pauseMs)
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
        continue
      }
      pauseMs = FIRST_PAUSE_MS
      waiting = waiting.slice(batch.length)
      for (const { written } of batch) written()
    }
  }

  return {
    add(recording, written) {
      waiting.push({ recording, written })
      writing ??= write().finally(() => {
        writing = undefined
      })
    },
    get isFull() {
      return waiting.length >= MOST_WAITING
    },
    async stop() {
      isStopping = true
      await writing
    },
  }
}
