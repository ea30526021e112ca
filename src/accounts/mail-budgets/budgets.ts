import { ApiError } from '../../contract/errors.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { DbWork } from '../../storage/query.ts'
import { mailboxKey } from '../users/normalize.ts'
import { countUse, type Limit } from './windows.ts'

/**
 * How many e-mails users can cause. A budget is counted in the transaction that causes the mail and never given back: an
 * invitation that is deleted was still sent. docs/accounts.md lists the numbers.
 */
interface Budget extends Limit {
  /** The limit as a sentence, for whom it stops. */
  readonly text: string
}

const memberMails = 'invitations and address confirmations'

const perOrganizationHour: Budget = {
  kind: 'organization hour',
  max: 20,
  windowMs: HOUR_MS,
  text: `Your organization can send 20 ${memberMails} an hour`,
}
const perOrganizationDay: Budget = {
  kind: 'organization day',
  max: 100,
  windowMs: DAY_MS,
  text: `Your organization can send 100 ${memberMails} a day`,
}
/** Over all organizations of the user. */
const perUser: Budget = { kind: 'user', max: 20, windowMs: HOUR_MS, text: `You can send 20 ${memberMails} an hour` }
const perMailboxAndOrganization: Budget = {
  kind: 'mailbox of organization',
  max: 3,
  windowMs: DAY_MS,
  text: `Your organization can send 3 ${memberMails} a day to one address`,
}
/** From all organizations. */
const perMailbox: Budget = {
  kind: 'mailbox',
  max: 10,
  windowMs: DAY_MS,
  text: `This address has received 10 ${memberMails} within a day`,
}

interface MemberMail {
  readonly orgId: string
  /** The member who causes it, also with an API key. */
  readonly userId: string
  readonly to: string
  /** What to do instead of waiting, as the end of a sentence. */
  readonly alternative?: string
}

/** An e-mail that a member causes to an address whose owner has not agreed to it. */
export function* countMemberMail({ orgId, userId, to, alternative }: MemberMail, now: number): DbWork<void> {
  const mailbox = mailboxKey(to)
  yield* count(
    [
      [perOrganizationHour, orgId],
      [perOrganizationDay, orgId],
      [perUser, userId],
      [perMailboxAndOrganization, `${orgId} ${mailbox}`],
      [perMailbox, mailbox],
    ],
    now,
    alternative,
  )
}

const testsPerOrganization: Budget = {
  kind: 'tests of organization',
  max: 30,
  windowMs: HOUR_MS,
  text: 'Your organization can send 30 test e-mails an hour',
}
const testsPerMailbox: Budget = {
  kind: 'tests to mailbox',
  max: 10,
  windowMs: HOUR_MS,
  text: 'An address can be sent 10 test e-mails an hour',
}

/** A test message to an e-mail contact. */
export function* countTestMail({ orgId, to }: Pick<MemberMail, 'orgId' | 'to'>, now: number): DbWork<void> {
  yield* count(
    [
      [testsPerOrganization, orgId],
      [testsPerMailbox, `${orgId} ${mailboxKey(to)}`],
    ],
    now,
  )
}

const text = 'You have asked for too many e-mails'
/** Requests from one network, for any address. */
const perClient: Budget = { kind: 'client', max: 10, windowMs: HOUR_MS, text }
const perClientAndMailbox: Budget = { kind: 'client and mailbox', max: 3, windowMs: HOUR_MS, text }
/** From all networks that the user has not signed in from. Larger, because strangers share it with the user. */
const perRequestedMailbox: Budget = {
  kind: 'requests for mailbox',
  max: 10,
  windowMs: 6 * HOUR_MS,
  text: 'Too many e-mails were requested for this address from networks that its owner has not signed in from',
}
/** From a network that the user has signed in from. Strangers elsewhere cannot use it up. */
const perKnownClient: Budget = { kind: 'known client and mailbox', max: 5, windowMs: HOUR_MS, text }

interface MailRequest {
  readonly purpose: 'password reset' | 'sign-up' | 'confirmation'
  readonly to: string
  /** The network of the requester. */
  readonly client: string
  /** Whether the user with this address has signed in from this network before. */
  readonly isKnownClient: boolean
}

/** An e-mail that somebody requests without being signed in. */
export function* countRequestedMail({ purpose, to, client, isKnownClient }: MailRequest, now: number): DbWork<void> {
  const mailbox = mailboxKey(to)
  if (isKnownClient) return yield* count([[perKnownClient, `${purpose} ${client} ${mailbox}`]], now)
  yield* count(
    [
      [perClient, client],
      [perClientAndMailbox, `${purpose} ${client} ${mailbox}`],
      [perRequestedMailbox, `${purpose} ${mailbox}`],
    ],
    now,
  )
}

/** The order of the budgets is the same everywhere, so that two transactions do not wait for each other's rows. */
function* count(uses: readonly (readonly [Budget, whose: string])[], now: number, alternative?: string): DbWork<void> {
  for (const [budget, whose] of uses) {
    const waitMs = yield* countUse(budget, whose, now)
    if (waitMs > 0) throw exceeded(budget, waitMs, alternative)
  }
}

/** The error rolls the transaction back, so that a refused mail uses up nothing. */
function exceeded({ text }: Budget, waitMs: number, alternative?: string): ApiError {
  const advice = [`try again in ${waitText(waitMs)}`, ...(alternative === undefined ? [] : [alternative])].join(', or ')
  return new ApiError('rate_limited', `${text}; ${advice}`, {
    headers: { 'retry-after': `${Math.ceil(waitMs / SECOND_MS)}` },
  })
}

function waitText(ms: number): string {
  if (ms <= MINUTE_MS) return 'a minute'
  return ms <= HOUR_MS ? `${Math.ceil(ms / MINUTE_MS)} min` : `${Math.ceil(ms / HOUR_MS)} h`
}
