import { type DbWork, q, runEach, statement } from '../../storage/query.ts'
import { Queue } from '../../storage/queue/queue.ts'

export const stateColumns = [
  ...(['num', 'org_id', 'revision', 'edition', 'memory', 'open_incident', 'next_check_at', 'claimed_by'] as const),
  ...(['state', 'last_checked_at', 'last_status_changed_at', 'last_response_ms', 'cert_expires_at'] as const),
] as const

/**
 * The queue of due checks. A check is identified by the revision of its monitor: it grows with every claim, and a result is
 * saved only at the revision of its claim. A lease is longer than any check.
 *
 * On SQLite no claims are written: one process uses a data folder and remembers what it works on. That takes the cost of
 * a check from 90 to 60 µs (docs/decisions/0006-the-cost-of-a-check.md).
 */
export const checkQueue = new Queue({
  table: 'monitor_states',
  key: ['num'],
  due: 'next_check_at',
  leaseMs: 180_000,
  columns: stateColumns,
  counter: 'revision',
})

interface Postponed {
  num: number
  revision: number
  dueAt: number
}

const postpone = statement(({ num, revision, dueAt }: Postponed) =>
  q
    .updateTable('monitor_states')
    .set({ next_check_at: dueAt, claimed_by: null })
    .where('num', '=', num)
    .where('revision', '=', revision),
)

/** Ends claims without a result, on both engines. */
export function* postponeChecks(checks: readonly { num: number; revision: number }[], dueAt: number): DbWork<void> {
  yield* runEach(
    postpone,
    checks.map(({ num, revision }) => ({ num, revision, dueAt })),
  )
}
