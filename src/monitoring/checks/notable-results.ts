import { DAY_MS } from '../../lib/clock.ts'
import { allOf, batch, insertRows } from '../../storage/batch.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import { stateCodes } from './raw-results.ts'

/**
 * Results other than UP have a row of their own besides the compact raw result, by monitor, state and time: with the reason
 * of the failure, and found without reading the others. Inconclusive checks have only this row.
 */
export const notableCodes = { DEGRADED: stateCodes.DEGRADED, DOWN: stateCodes.DOWN, INCONCLUSIVE: 4 } as const
export type NotableState = keyof typeof notableCodes

export interface NotableResult {
  readonly num: number
  readonly at: number
  readonly state: NotableState
  readonly responseMs: number | null
  /** The `causeCode` of a failure. */
  readonly code: string | null
  readonly error: string | null
  readonly keepDays: number
}

interface Row {
  num: number
  state: number
  at: number
  ms: number | null
  code: string | null
  error: string | null
  expires_at: number
}

const types = {
  num: 'bigint',
  state: 'smallint',
  at: 'bigint',
  ms: 'bigint',
  code: 'text',
  error: 'text',
  expires_at: 'bigint',
} as const

const insert = batch<Row>(types, ({ num, state, at, ms, code, error, expires_at }, rows) =>
  insertRows('notable_results', { num, state, at, ms, code, error, expires_at }, rows).onConflict((conflict) =>
    conflict.doNothing(),
  ),
)

const MAX_ERROR_CHARACTERS = 500

/** Records results other than UP, in the transaction that saves them. One that is recorded already stays as it is. */
export function* recordNotableResults(results: readonly NotableResult[]): DbWork<void> {
  yield* allOf(insert, results.map(rowOf))
}

function rowOf({ num, at, state, responseMs, code, error, keepDays }: NotableResult): Row {
  return {
    ...{ num, at, code, state: notableCodes[state], ms: responseMs },
    // PostgreSQL cannot store NUL.
    error: error?.replaceAll('\0', ' ').slice(0, MAX_ERROR_CHARACTERS) ?? null,
    // With the part of its day: see dropExpiredPart.
    expires_at: (Math.floor(at / DAY_MS) + keepDays + 1) * DAY_MS,
  }
}

export interface InconclusiveCheck {
  readonly num: number
  readonly at: number
  readonly reason: string
  /** An inconclusive check is repeated after seconds. One per period is recorded. */
  readonly periodMs: number
  readonly keepDays: number
}

/** Records inconclusive checks and returns those that were recorded. */
export function* recordInconclusive<C extends InconclusiveCheck>(checks: readonly C[]): DbWork<readonly C[]> {
  if (checks.length === 0) return []
  const since = Math.min(...checks.map(({ at, periodMs }) => at - periodMs))
  const rows = yield* execute(
    q
      .selectFrom('notable_results')
      .select(['num', ({ fn }) => fn.max('at').as('at')])
      .where('state', '=', notableCodes.INCONCLUSIVE)
      .where(
        'num',
        'in',
        checks.map(({ num }) => num),
      )
      .where('at', '>', since)
      .groupBy('num'),
  )
  const latest = new Map(rows.map(({ num, at }) => [num, Number(at)]))
  const isNew = ({ num, at, periodMs }: InconclusiveCheck) =>
    (latest.get(num) ?? Number.NEGATIVE_INFINITY) <= at - periodMs
  const recorded = checks.filter(isNew)
  yield* recordNotableResults(
    recorded.map(({ num, at, reason, keepDays }) => {
      return { num, at, state: 'INCONCLUSIVE', responseMs: null, code: null, error: reason, keepDays }
    }),
  )
  return recorded
}

const deleteExpired = pruning({ table: 'notable_results', key: ['num', 'state', 'at'], by: 'expires_at' })

/** Deletes at most `limit` rows whose retention time is over, and returns their number. */
export function* pruneNotableResults(now: number, limit: number): DbWork<number> {
  return yield* deleteExpired(now, limit)
}
