import { sql } from 'kysely'
import { first, q, run, runEach, statement, type Work } from '../../storage/query.ts'
import type { Batch, Claim } from './claim.ts'
import { nextStep } from './next-step.ts'

/** How messages are spaced, and how often they are tried. */
export interface Pace {
  /** How long an alert waits for company. */
  readonly groupWaitMs: number
  /** The least time between two messages to one contact. */
  readonly spacingMs: number
  readonly retryDelaysMs: readonly number[]
}

export interface Failure {
  readonly error: string
  readonly retryAfterMs: number | null
}

interface Held {
  orgId: string
  contactId: string
  node: string
  until: number
}

const ofClaim = ({ orgId, contactId, node, until }: Held) =>
  q
    .updateTable('contacts')
    .where('org_id', '=', orgId)
    .where('id', '=', contactId)
    .where('claimed_by', '=', node)
    .where('due_at', '=', until)

const letGo = statement((claim: Held) => ofClaim(claim).set({ claimed_by: null, due_at: null }))

const noteSuccess = statement((held: Held & { now: number; quietUntil: number }) =>
  ofClaim(held).set({
    claimed_by: null,
    due_at: null,
    quiet_until: held.quietUntil,
    last_sent_at: held.now,
    last_error: null,
    failing_since: null,
  }),
)

const noteFailure = statement((held: Held & { now: number; quietUntil: number; error: string }) =>
  ofClaim(held).set({
    claimed_by: null,
    due_at: null,
    quiet_until: held.quietUntil,
    last_error: held.error,
    failing_since: sql`coalesce(failing_since, ${held.now})`,
  }),
)

interface Whose {
  orgId: string
  contactId: string
}

/** What was sent: everything that has a notice and is not settled, for whoever claims a contact sends all of that. */
const attempted = ({ orgId, contactId }: Whose) =>
  q
    .updateTable('alerts')
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('due_at', 'is not', null)
    .where('notice', 'is not', null)

const markSent = statement((sent: Whose & { now: number }) =>
  attempted(sent).set({
    due_at: null,
    outcome: 'SENT',
    settled_at: sent.now,
    attempts: sql<number>`attempts + 1`,
  }),
)

interface Tried extends Whose {
  attempts: number
  /** When the attempt was made: what was waiting for a later one of its own came along, and it does not count. */
  at: number
}

const due = (tried: Tried) => attempted(tried).where('attempts', '=', tried.attempts).where('due_at', '<=', tried.at)

const retryLater = statement((tried: Tried & { dueAt: number }) =>
  due(tried).set({ attempts: sql<number>`attempts + 1`, due_at: tried.dueAt }),
)

const giveUp = statement((tried: Tried & { now: number }) =>
  due(tried).set({
    attempts: sql<number>`attempts + 1`,
    due_at: null,
    outcome: 'GIVEN_UP',
    settled_at: tried.now,
  }),
)

const closeThread = statement(({ orgId, contactId, notice }: Whose & { notice: string }) =>
  q
    .deleteFrom('alert_threads')
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('notice', '=', notice),
)

const nextDue = statement(({ orgId, contactId }: Whose) =>
  q
    .selectFrom('alerts')
    .select((is) => is.fn.min('due_at').as('at'))
    .where('org_id', '=', orgId)
    .where('contact_id', '=', contactId)
    .where('due_at', 'is not', null),
)

const makeDue = statement(({ orgId, contactId, at }: Whose & { at: number }) =>
  q
    .updateTable('contacts')
    .set({ due_at: sql`case when quiet_until > ${at} then quiet_until else ${at} end` })
    .where('org_id', '=', orgId)
    .where('id', '=', contactId)
    .where('claimed_by', 'is', null),
)

/** Whatever came meanwhile, or is to be tried again, makes the contact due once more. */
function* wakeAgain({ orgId, contactId }: Claim): Work<void> {
  const at = (yield* first(nextDue, { orgId, contactId }))?.at
  if (at != null) yield* run(makeDue, { orgId, contactId, at })
}

/** Lets go of a contact as if it had not been claimed. */
export function* release(claim: Claim): Work<void> {
  if ((yield* run(letGo, claim)) === 1) yield* wakeAgain(claim)
}

/**
 * Notes that a message arrived; `spoke` is false where the channel had nothing to say of what there was. False if the
 * claim had ended: then whoever has it now decides.
 */
export function* settleSuccess({ claim, over = [] }: Batch, spoke: boolean, now: number, pace: Pace): Work<boolean> {
  const { orgId, contactId, node, until } = claim
  const quietUntil = now + pace.spacingMs - pace.groupWaitMs
  const held = { orgId, contactId, node, until }
  if ((yield* spoke ? run(noteSuccess, { ...held, now, quietUntil }) : run(letGo, held)) === 0) return false
  yield* run(markSent, { orgId, contactId, now })
  yield* runEach(
    closeThread,
    over.map((notice) => ({ orgId, contactId, notice })),
  )
  yield* wakeAgain(claim)
  return true
}

export interface Chance {
  /** Between 0 and 1. */
  random(): number
}

/** Notes that a message did not arrive, and when what was in it is tried again. Says how many alerts were given up. */
export function* settleFailure(batch: Batch, failure: Failure, now: number, pace: Pace, chance: Chance): Work<number> {
  const { claim, alerts } = batch
  const { orgId, contactId, node, until, at } = claim
  const counts = new Set(alerts.filter(({ dueAt }) => dueAt <= at).map(({ attempts }) => attempts))
  // The most attempts first: what has been counted up must not be met again.
  const steps = [...counts]
    .sort((a, b) => b - a)
    .map((attempts) => ({
      attempts,
      step: nextStep(attempts + 1, failure.retryAfterMs, chance.random(), pace.retryDelaysMs),
    }))
  const soonestMs = Math.min(pace.spacingMs, ...steps.flatMap(({ step }) => (step.do === 'retry' ? [step.inMs] : [])))
  const quietUntil = now + Math.max(soonestMs, failure.retryAfterMs ?? 0) - pace.groupWaitMs
  const held = { orgId, contactId, node, until }
  if ((yield* run(noteFailure, { ...held, now, quietUntil, error: failure.error })) === 0) return 0
  let givenUp = 0
  for (const { attempts, step } of steps) {
    const tried = { orgId, contactId, attempts, at }
    if (step.do === 'giveUp') givenUp += yield* run(giveUp, { ...tried, now })
    else yield* run(retryLater, { ...tried, dueAt: now + step.inMs - pace.groupWaitMs })
  }
  yield* wakeAgain(claim)
  return givenUp
}
