import { setTimeout as pause } from 'node:timers/promises'
import { type Clock, MINUTE_MS } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Database } from '../../storage/database.ts'
import { type DbWork, q, run, statement } from '../../storage/query.ts'
import { type AttemptRecord, type OnDisabled, recordAttempts } from './record-attempts.ts'

/** Bounds a transaction. */
const BATCH = 500
/** With this many unwritten no new request is begun. */
const MAX_UNWRITTEN = 2_000
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5_000
/** A batch that failed this often in a row is written one attempt at a time. */
const BATCH_TRIES = 3
/** A delivery whose attempt cannot be written is sent again after this. */
const UNWRITABLE_RETRY_MS = 5 * MINUTE_MS

/** Writes attempts in batches while the next ones are made. */
export interface AttemptWriter {
  /** `done` is called when the attempt is written, or cannot be written and its delivery was postponed. */
  add(record: AttemptRecord, done: () => void): void
  readonly isFull: boolean
  /** Writes the rest, unless the database refuses it. */
  stop(): Promise<void>
}

interface Unwritten {
  readonly record: AttemptRecord
  readonly done: () => void
}

interface WriterParts {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly onDisabled: OnDisabled
}

export function startAttemptWriter({ database, clock, log, onDisabled }: WriterParts): AttemptWriter {
  let unwritten: Unwritten[] = []
  let isStopping = false
  let writing: Promise<void> | undefined

  const record = (records: readonly AttemptRecord[]) =>
    database.write(() => recordAttempts(records, onDisabled), 'batched')

  function finish(finished: readonly Unwritten[]): void {
    unwritten = unwritten.slice(finished.length)
    for (const { done } of finished) done()
  }

  async function writeAll(): Promise<void> {
    for (let failures = 0; unwritten.length > 0; ) {
      const batch = unwritten.slice(0, BATCH)
      try {
        await record(batch.map((each) => each.record))
      } catch (error) {
        failures += 1
        log.error({ err: error, attempts: unwritten.length }, 'webhook attempts could not be written; this is retried')
        // Unwritten attempts are made again by the node that claims their endpoint next.
        if (isStopping) return
        await pause(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)))
        if (failures >= BATCH_TRIES && (await writeEach(batch))) failures = 0
        continue
      }
      failures = 0
      finish(batch)
    }
  }

  /** One attempt that cannot be written must not block the others. False if the database takes nothing at all. */
  async function writeEach(batch: readonly Unwritten[]): Promise<boolean> {
    for (const each of batch) {
      try {
        await record([each.record])
      } catch (error) {
        if (!(await postpone(each.record, error))) return false
      }
      finish([each])
    }
    return true
  }

  /** If this is written, the database works and the attempt itself is at fault. */
  async function postpone({ claim, delivery }: AttemptRecord, cause: unknown): Promise<boolean> {
    const key = { orgId: claim.orgId, id: delivery.deliveryId }
    const dueAt = clock.now() + UNWRITABLE_RETRY_MS
    try {
      await database.write(() => postponeDelivery(key, dueAt), 'batched')
    } catch {
      return false
    }
    log.error({ err: cause, delivery: key.id }, 'a webhook attempt cannot be written; its delivery was postponed')
    return true
  }

  return {
    add(each, done) {
      unwritten.push({ record: each, done })
      writing ??= writeAll().finally(() => {
        writing = undefined
      })
    },
    get isFull() {
      return unwritten.length >= MAX_UNWRITTEN
    },
    async stop() {
      isStopping = true
      await writing
    },
  }
}

interface DeliveryKey {
  orgId: string
  id: string
}

const setNextAttempt = statement(({ orgId, id, dueAt }: DeliveryKey & { dueAt: number }) =>
  q
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: dueAt, manual: 0 })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('status', '=', 'PENDING'),
)

function* postponeDelivery(key: DeliveryKey, dueAt: number): DbWork<void> {
  yield* run(setNextAttempt, { ...key, dueAt })
}
