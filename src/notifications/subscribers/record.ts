import { sql } from 'kysely'
import type { EmailResult } from '../../outbound/email.ts'
import { type DbWork, first, q, run, runEach, statement } from '../../storage/query.ts'
import type { Chunk, Claim, NoticeRecipient } from './claim.ts'
import { type NextStep, nextStep, outagePauseMs } from './next-step.ts'

/** What came of the letters of a chunk; the stop of a node is nobody's failure. */
export interface ChunkResults {
  readonly mailed: ReadonlyMap<number, EmailResult>
  readonly isStopping: boolean
}

export interface ChunkCounts {
  readonly sent: number
  readonly retried: number
  readonly rejected: number
  readonly disabled: number
  readonly givenUp: number
}

interface Held {
  orgId: string
  id: string
  node: string
  until: number
}

const ofClaim = ({ orgId, id, node, until }: Held) =>
  q
    .updateTable('subscriber_notices')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('claimed_by', '=', node)
    .where('due_at', '=', until)

const goOn = statement((held: Held & { dueAt: number; afterNum: number; failures: number }) =>
  ofClaim(held).set({ due_at: held.dueAt, claimed_by: null, after_num: held.afterNum, failures: held.failures }),
)

interface Which {
  orgId: string
  id: string
}

const rest = statement(({ orgId, id, dueAt }: Which & { dueAt: number }) =>
  q.updateTable('subscriber_notices').set({ due_at: dueAt }).where('org_id', '=', orgId).where('id', '=', id),
)

const drop = statement(({ orgId, id }: Which) =>
  q.deleteFrom('subscriber_notices').where('org_id', '=', orgId).where('id', '=', id),
)

const nextRetry = statement(({ orgId, id }: Which) =>
  q
    .selectFrom('subscriber_retries')
    .select((is) => is.fn.min('due_at').as('at'))
    .where('org_id', '=', orgId)
    .where('notice_id', '=', id),
)

const settle = statement(({ orgId, id, num }: Which & { num: number }) =>
  q.deleteFrom('subscriber_retries').where('org_id', '=', orgId).where('notice_id', '=', id).where('num', '=', num),
)

interface Retry extends Which {
  num: number
  attempts: number
  dueAt: number
}

const retry = statement(({ orgId, id, num, attempts, dueAt }: Retry) =>
  q
    .insertInto('subscriber_retries')
    .columns(['org_id', 'notice_id', 'num', 'attempts', 'due_at'])
    // Whoever unsubscribed while the letter was under way is not written to again.
    .expression(
      q
        .selectFrom('subscribers')
        .select([
          'org_id',
          sql<string>`cast(${id} as text)`.as('notice_id'),
          'num',
          sql<number>`cast(${attempts} as bigint)`.as('attempts'),
          sql<number>`cast(${dueAt} as bigint)`.as('due_at'),
        ])
        .where('org_id', '=', orgId)
        .where('num', '=', num),
    )
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'notice_id', 'num']).doUpdateSet({ attempts, due_at: dueAt }),
    ),
)

const noteReached = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q
    .updateTable('subscribers')
    .set({ rejections: 0, last_error: null })
    .where('org_id', '=', orgId)
    .where('num', '=', num),
)

interface Rejected {
  orgId: string
  num: number
  error: string
  state: 'CONFIRMED' | 'DISABLED'
}

const noteRejected = statement(({ orgId, num, error, state }: Rejected) =>
  q
    .updateTable('subscribers')
    .set({ rejections: sql<number>`rejections + 1`, last_error: error, state })
    .where('org_id', '=', orgId)
    .where('num', '=', num)
    .where('state', '=', 'CONFIRMED'),
)

interface Decided extends NoticeRecipient {
  readonly mailed: EmailResult
  readonly step: NextStep
}

/**
 * Notes what came of a chunk, and when the notice is to go on. Undefined if the claim had ended: whoever has it now sends
 * the same again.
 */
export function* recordChunk(
  claim: Claim,
  chunk: Chunk,
  { mailed, isStopping }: ChunkResults,
  now: number,
  chance: () => number,
): DbWork<ChunkCounts | undefined> {
  const { orgId, id, node, until } = claim
  const decided = chunk.recipients.map((addressee): Decided => {
    const result = mailed.get(addressee.num) ?? { ok: false, fault: 'unreachable', error: '' }
    return { ...addressee, mailed: result, step: nextStep(result, addressee, chance()) }
  })
  const isDown = !isStopping && decided.some(({ mailed: its }) => !its.ok && its.fault === 'unreachable')
  const failures = isDown ? claim.failures + 1 : 0
  const resumeAt = now + (isDown ? outagePauseMs(failures) : 0)
  const held = { orgId, id, node, until, dueAt: resumeAt, afterNum: chunk.afterNum, failures }
  if ((yield* run(goOn, held)) === 0) return undefined
  yield* noteEach(claim, decided, chunk.inactive, resumeAt, now)
  if (chunk.isLast) {
    const at = (yield* first(nextRetry, { orgId, id }))?.at
    if (at == null) yield* run(drop, { orgId, id })
    else if (at > resumeAt) yield* run(rest, { orgId, id, dueAt: at })
  }
  const count = (is: (step: NextStep) => boolean): number => decided.filter(({ step }) => is(step)).length
  return {
    sent: count((step) => step.do === 'done'),
    retried: count((step) => step.do === 'retry'),
    rejected: count((step) => step.do === 'reject'),
    disabled: count((step) => step.do === 'reject' && step.disable),
    givenUp: count((step) => step.do === 'giveUp'),
  }
}

function* noteEach(
  { orgId, id }: Claim,
  decided: readonly Decided[],
  left: readonly number[],
  resumeAt: number,
  now: number,
): DbWork<void> {
  const over = [...left, ...decided.filter(({ step }) => step.do !== 'retry').map(({ num }) => num)]
  yield* runEach(
    settle,
    over.map((num) => ({ orgId, id, num })),
  )
  yield* runEach(
    retry,
    decided.flatMap(({ num, attempts, step }) => {
      if (step.do !== 'retry') return []
      const dueAt = step.counts ? now + step.inMs : resumeAt
      return [{ orgId, id, num, attempts: step.counts ? attempts + 1 : attempts, dueAt }]
    }),
  )
  yield* runEach(
    noteReached,
    decided.flatMap(({ num, rejections, step }) => (step.do === 'done' && rejections > 0 ? [{ orgId, num }] : [])),
  )
  yield* runEach(
    noteRejected,
    decided.flatMap(({ num, mailed, step }) => {
      if (step.do !== 'reject' || mailed.ok) return []
      return [{ orgId, num, error: mailed.error, state: step.disable ? ('DISABLED' as const) : ('CONFIRMED' as const) }]
    }),
  )
}

/** There is nothing to tell any more. */
export function* dropNotice({ orgId, id }: Claim): DbWork<void> {
  yield* run(drop, { orgId, id })
}
