import { allOf, batch, insertRows } from '../../storage/batch.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import type { CheckReasonTable } from '../../storage/schema/monitors.ts'
import { expiryOf } from './store.ts'

/** Why a check failed or was inconclusive. */
export interface Reason {
  readonly num: number
  readonly at: number
  /** The `causeCode` of a failure. */
  readonly code: string | null
  readonly error: string
  /** For how many days the organization's plan keeps it. */
  readonly keepDays: number
}

const types = { num: 'bigint', at: 'bigint', code: 'text', error: 'text', expires_at: 'bigint' } as const

const insert = batch<CheckReasonTable>(types, ({ num, at, code, error, expires_at }, rows) =>
  insertRows('check_reasons', { num, at, code, error, expires_at }, rows).onConflict((conflict) =>
    conflict.doNothing(),
  ),
)

const MAX_ERROR_CHARACTERS = 500

/** Stores reasons, in the transaction that saves the results. */
export function* storeReasons(reasons: readonly Reason[]): DbWork<void> {
  yield* allOf(insert, reasons.map(rowOf))
}

function rowOf({ num, at, code, error, keepDays }: Reason): CheckReasonTable {
  return {
    num,
    at,
    code,
    // PostgreSQL cannot store NUL.
    error: error.replaceAll('\0', ' ').slice(0, MAX_ERROR_CHARACTERS),
    expires_at: expiryOf(at, keepDays),
  }
}

/** The reasons of a monitor's results at these times. */
export function* reasonsAt(
  num: number,
  times: readonly number[],
): DbWork<ReadonlyMap<number, Pick<CheckReasonTable, 'code' | 'error'>>> {
  if (times.length === 0) return new Map()
  const rows = yield* execute(
    q
      .selectFrom('check_reasons')
      .select(['at', 'code', 'error'])
      .where('num', '=', num)
      .where('at', 'in', [...times]),
  )
  return new Map(rows.map(({ at, ...reason }) => [at, reason]))
}

/** Deletes at most `limit` reasons whose retention time is over, and returns their number. */
export const pruneReasons = pruning({ table: 'check_reasons', key: ['num', 'at'], by: 'expires_at' })
