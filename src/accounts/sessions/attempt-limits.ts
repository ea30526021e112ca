import { ApiError } from '../../contract/errors.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { hashToken } from '../../lib/tokens.ts'
import { ask, first, q, run, statement, type Work } from '../../storage/query.ts'

/** How failed attempts slow further ones down. */
export interface Brake {
  readonly kind: string
  /** So many failures are nobody's business. */
  readonly free: number
  /** After the next one; then twice as long each time. */
  readonly firstMs: number
  readonly longestMs: number
}

/**
 * Of one account, wherever they come from. It is slowed to a guess a minute and no further: whoever wants to keep somebody
 * from signing in does not get more than that, and a password of ten characters stands so many guesses for ages.
 */
export const perAccount: Brake = { kind: 'account', free: 5, firstMs: SECOND_MS, longestMs: MINUTE_MS }
/** From one address, whoever they are for. */
export const perAddress: Brake = { kind: 'address', free: 20, firstMs: SECOND_MS, longestMs: 15 * MINUTE_MS }
/**
 * Codes for one account, which only those get to try who know the password: six digits stand fewer guesses than a password, and
 * nobody else can keep the user out by it.
 */
export const perFactor: Brake = { kind: 'second factor', free: 10, firstMs: MINUTE_MS, longestMs: HOUR_MS }
/** Mails that one address is sent, and that one client has sent. */
export const perMailbox: Brake = { kind: 'mailbox', free: 2, firstMs: MINUTE_MS, longestMs: DAY_MS / 4 }
export const perMailClient: Brake = { kind: 'mail client', free: 10, firstMs: MINUTE_MS, longestMs: DAY_MS / 4 }

const FORGOTTEN_AFTER_MS = DAY_MS

/** How long nothing is heard after so many failures. */
export function pauseAfter(failures: number, { free, firstMs, longestMs }: Brake): number {
  if (failures < free) return 0
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures - free, 40))
}

export interface Subject {
  readonly brake: Brake
  readonly whose: string
}

/** Its row, there from now on and held until the end of the transaction; another one may just be forgiving it. */
const held = statement(({ subject, now }: { subject: string; now: number }) =>
  q
    .insertInto('sign_in_limits')
    .values({ subject, failures: 0, last_at: now, blocked_until: 0 })
    .onConflict((conflict) => conflict.column('subject').doUpdateSet({ subject }))
    .returningAll(),
)

interface Counted {
  subject: string
  failures: number
  now: number
  until: number
}

const save = statement(({ subject, failures, now, until }: Counted) =>
  q.updateTable('sign_in_limits').set({ failures, last_at: now, blocked_until: until }).where('subject', '=', subject),
)

/**
 * Counts an attempt as failed before it is looked at, so that many at once cannot all be the first; `forgive` takes it back.
 * Refuses it where earlier failures are too recent, in the same way whether or not there is such an account.
 */
export function* countAttempt(subjects: readonly Subject[], now: number): Work<void> {
  // In one order, so that two attempts cannot wait for each other.
  const named = subjects.map(({ brake, whose }) => ({ brake, subject: nameOf(brake, whose) }))
  named.sort((a, b) => (a.subject < b.subject ? -1 : 1))
  for (const { brake, subject } of named) {
    const row = yield* first(held, { subject, now })
    if (row === undefined) throw new Error('An attempt was not counted')
    const isOld = row.last_at + FORGOTTEN_AFTER_MS <= now
    if (!isOld && row.blocked_until > now) throw tooMany(row.blocked_until - now)
    const failures = (isOld ? 0 : row.failures) + 1
    yield* run(save, { subject, failures, now, until: now + pauseAfter(failures, brake) })
  }
}

function tooMany(waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / SECOND_MS)
  return new ApiError('rate_limited', `Too many attempts; try again in ${seconds} s`, {
    headers: { 'retry-after': `${seconds}` },
  })
}

const drop = statement(({ subject }: { subject: string }) =>
  q.deleteFrom('sign_in_limits').where('subject', '=', subject),
)

const ease = statement(({ subject, now }: { subject: string; now: number }) =>
  q
    .updateTable('sign_in_limits')
    .set((is) => ({ failures: is('failures', '-', 1), blocked_until: now }))
    .where('subject', '=', subject)
    .where('failures', '>', 0),
)

/** It was right: the account starts anew, and the address has one failure less. Others may be guessing from there. */
export function* forgive(account: string, address: string, now: number): Work<void> {
  yield* run(drop, { subject: nameOf(perAccount, account) })
  yield* run(ease, { subject: nameOf(perAddress, address), now })
}

/**
 * It was right as far as it goes, and takes back itself alone: whoever knows the password could otherwise try codes for ever by
 * beginning anew.
 */
export function* takeBack(account: string, address: string, now: number): Work<void> {
  yield* run(ease, { subject: nameOf(perAccount, account), now })
  yield* run(ease, { subject: nameOf(perAddress, address), now })
}

export function* forgiveFactor(userId: string): Work<void> {
  yield* run(drop, { subject: nameOf(perFactor, userId) })
}

function nameOf({ kind }: Brake, whose: string): string {
  return hashToken(`${kind} ${whose}`)
}

/** Forgets attempts of long ago, a few at a time; says how many. */
export function* pruneAttempts(now: number, limit: number): Work<number> {
  const old = yield* ask(
    q
      .deleteFrom('sign_in_limits')
      .where(
        'subject',
        'in',
        q
          .selectFrom('sign_in_limits')
          .select('subject')
          .where('last_at', '<=', now - FORGOTTEN_AFTER_MS)
          .limit(limit),
      )
      .returning('subject'),
  )
  return old.length
}
