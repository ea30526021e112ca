import type { Timings } from '../../contract/probe.ts'
import { parseStored } from '../../lib/json.ts'
import type { Reason } from '../../reasons/reason.ts'
import { reasonIn, storedReason, withoutNul } from '../../reasons/stored.ts'
import { allOf, insertBatch } from '../../storage/batch.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import type { CheckReasonTable } from '../../storage/schema/monitors.ts'
import { expiryOf } from './store.ts'

/** A try of a check that failed. */
interface StoredTry {
  readonly at: number
  readonly causeCode: string
  /** Of an old row: a sentence. */
  readonly error: Reason | string
}

/** What is kept of a check that is not plainly UP. */
export interface CheckEvidence {
  readonly phases?: Timings
  readonly tries?: readonly StoredTry[]
}

/** Why a check failed or was inconclusive, or what came before its success. */
export interface CheckReason {
  readonly num: number
  readonly at: number
  /** The `causeCode` of a failure. */
  readonly code: string | null
  readonly error: Reason | null
  readonly evidence?: CheckEvidence
  /** Of an UP result whose first try failed: its response time. */
  readonly repaired?: { readonly responseMs: number | null }
  /** For how many days the organization's plan keeps it. */
  readonly keepDays: number
}

const insert = insertBatch(
  'check_reasons',
  {
    num: 'bigint',
    at: 'bigint',
    code: 'text',
    error: 'text',
    evidence: 'text',
    repaired: 'bigint',
    expires_at: 'bigint',
  },
  (insert) => insert.onConflict((conflict) => conflict.doNothing()),
)

/** Stores reasons, in the transaction that saves the results. */
export function* storeReasons(reasons: readonly CheckReason[]): DbWork<void> {
  yield* allOf(insert, reasons.map(rowOf))
}

function rowOf({ num, at, code, error, evidence, repaired, keepDays }: CheckReason): CheckReasonTable {
  const kept = { ...evidence, ...repaired }
  return {
    num,
    at,
    code,
    error: error && storedReason(error),
    evidence: Object.keys(kept).length === 0 ? null : JSON.stringify(kept, withoutNul),
    repaired: repaired === undefined ? 0 : 1,
    expires_at: expiryOf(at, keepDays),
  }
}

interface StoredReason {
  readonly code: string | null
  readonly error: Reason | null
  readonly evidence: CheckEvidence
}

/** The reasons of a monitor's results at these times. */
export function* reasonsAt(num: number, times: readonly number[]): DbWork<ReadonlyMap<number, StoredReason>> {
  if (times.length === 0) return new Map()
  const rows = yield* execute(
    q
      .selectFrom('check_reasons')
      .select(['at', 'code', 'error', 'evidence'])
      .where('num', '=', num)
      .where('at', 'in', [...times]),
  )
  return new Map(
    rows.map(({ at, code, error, evidence }) => [
      at,
      { code, error: error === null ? null : reasonIn(error), evidence: evidenceIn(evidence) },
    ]),
  )
}

export function evidenceIn(text: string | null): CheckEvidence {
  if (text === null) return {}
  const { phases, tries } = parseStored(text) as CheckEvidence
  return { ...(phases && { phases }), ...(tries && { tries }) }
}

/** Deletes at most `limit` reasons whose retention time is over, and returns their number. */
export const pruneReasons = pruning({ table: 'check_reasons', key: ['num', 'at'], by: 'expires_at' })
