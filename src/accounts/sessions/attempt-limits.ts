import { ApiError } from '../../contract/errors.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { hashToken } from '../../lib/tokens.ts'
import { reason } from '../../reasons/reason.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'

/** Exponential backoff: after `freeFailures` each further failure doubles the delay before the next attempt. */
interface AttemptLimit {
  readonly kind: string
  readonly freeFailures: number
  readonly firstDelayMs: number
  readonly maxDelayMs: number
}

/**
 * Password attempts for one account from browsers and addresses that have not signed in to it before, all together. Guesses that
 * are spread over many addresses count as one. The owner's known browsers are counted apart.
 */
export const perAccount: AttemptLimit = {
  kind: 'account',
  freeFailures: 5,
  firstDelayMs: SECOND_MS,
  maxDelayMs: MINUTE_MS,
}
/** Password attempts for one account from one browser that has signed in to it before, or in one session. */
const perKnownBrowser: AttemptLimit = { ...perAccount, kind: 'known browser' }
/** Password attempts for one account from one network that has signed in to it before. */
const perKnownNetwork: AttemptLimit = { ...perAccount, kind: 'known network' }
/** Attempts from one address, for any account. */
export const perAddress: AttemptLimit = {
  kind: 'address',
  freeFailures: 20,
  firstDelayMs: SECOND_MS,
  maxDelayMs: 15 * MINUTE_MS,
}
/**
 * Second-factor codes for one account. Trying one requires the password, so longer delays cannot be used to lock the owner
 * out, and six digits need them.
 */
const perSecondFactor: AttemptLimit = {
  kind: 'second factor',
  freeFailures: 10,
  firstDelayMs: MINUTE_MS,
  maxDelayMs: HOUR_MS,
}
const EXPIRES_AFTER_MS = DAY_MS

export function delayAfter(failures: number, { freeFailures, firstDelayMs, maxDelayMs }: AttemptLimit): number {
  if (failures < freeFailures) return 0
  return Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(failures - freeFailures, 40))
}

interface Attempt {
  readonly limit: AttemptLimit
  /** The account or address that is counted. */
  readonly by: string
}

/**
 * Counts an attempt as failed before it is checked, so that parallel attempts cannot all be the first. Answers 429 during a
 * delay, also for accounts that do not exist. `clearFailures` follows a successful attempt.
 */
function* countAttempt(attempts: readonly Attempt[], now: number): DbWork<void> {
  // A fixed lock order prevents deadlocks between two attempts.
  const sorted = attempts.map(({ limit, by }) => ({ limit, subject: subjectOf(limit, by) }))
  sorted.sort((a, b) => (a.subject < b.subject ? -1 : 1))
  for (const { limit, subject } of sorted) {
    const insert = q.insertInto('sign_in_limits').values({ subject, failures: 0, last_at: now, blocked_until: 0 })
    // Creates the row if it is missing and locks it until the end of the transaction.
    const [row] = yield* execute(
      insert.onConflict((on) => on.column('subject').doUpdateSet({ subject })).returningAll(),
    )
    if (row === undefined) throw new Error('An attempt was not counted')
    const isExpired = row.last_at + EXPIRES_AFTER_MS <= now
    if (!isExpired && row.blocked_until > now) throw tooMany(row.blocked_until - now)
    const failures = (isExpired ? 0 : row.failures) + 1
    const change = { failures, last_at: now, blocked_until: now + delayAfter(failures, limit) }
    yield* execute(q.updateTable('sign_in_limits').set(change).where('subject', '=', subject))
  }
}

/** An attempt to show a password or a code. */
export interface PasswordAttempt {
  readonly account: string
  readonly address: string
  /** `known`: a browser or session with this id has signed in to the account before. `knownNetwork`: the network has. */
  readonly source: { readonly kind: 'known'; readonly id: string } | { readonly kind: 'knownNetwork' | 'unknown' }
}

function limitsFor({ account, address, source }: PasswordAttempt): readonly Attempt[] {
  // Others who share the address must not block a known browser.
  if (source.kind === 'known') return [{ limit: perKnownBrowser, by: `${account} ${source.id}` }]
  const ofAddress = { limit: perAddress, by: address }
  if (source.kind === 'knownNetwork') return [{ limit: perKnownNetwork, by: `${account} ${address}` }, ofAddress]
  return [{ limit: perAccount, by: account }, ofAddress]
}

export function* countPasswordAttempt(attempt: PasswordAttempt, now: number): DbWork<void> {
  yield* countAttempt(limitsFor(attempt), now)
}

/** Counts a second-factor code like a password, and by its user. */
export function* countCodeAttempt(attempt: PasswordAttempt, userId: string, now: number): DbWork<void> {
  yield* countAttempt([...limitsFor(attempt), { limit: perSecondFactor, by: userId }], now)
}

function tooMany(waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / SECOND_MS)
  return new ApiError('rate_limited', reason('too_many_attempts', { seconds }), {
    headers: { 'retry-after': `${seconds}` },
  })
}

const drop = ({ limit, by }: Attempt) =>
  execute(q.deleteFrom('sign_in_limits').where('subject', '=', subjectOf(limit, by)))

function* decrement({ limit, by }: Attempt, now: number): DbWork<void> {
  const limits = q.updateTable('sign_in_limits').set((is) => ({ failures: is('failures', '-', 1), blocked_until: now }))
  yield* execute(limits.where('subject', '=', subjectOf(limit, by)).where('failures', '>', 0))
}

/** After a successful attempt: resets its counter and takes one failure off the address, which others may share. */
export function* clearFailures(attempt: PasswordAttempt, now: number): DbWork<void> {
  for (const counted of limitsFor(attempt)) {
    if (counted.limit === perAddress) yield* decrement(counted, now)
    else yield* drop(counted)
  }
}

/**
 * Uncounts this attempt only. Used if the password was not checked because the server was overloaded, and after a right password
 * that still needs a second factor: resetting the account there would let an attacker who knows the password try codes without limit.
 */
export function* uncountAttempt(attempt: PasswordAttempt, now: number): DbWork<void> {
  for (const counted of limitsFor(attempt)) yield* decrement(counted, now)
}

export function* clearSecondFactorFailures(userId: string): DbWork<void> {
  yield* drop({ limit: perSecondFactor, by: userId })
}

/** Hashed, so that the table holds no addresses. */
function subjectOf({ kind }: AttemptLimit, by: string): string {
  return hashToken(`${kind} ${by}`)
}

/** Deletes up to `limit` rows without an attempt in the last day; returns how many. */
export const pruneAttempts = pruning({
  table: 'sign_in_limits',
  key: ['subject'],
  by: 'last_at',
  keptMs: EXPIRES_AFTER_MS,
})
