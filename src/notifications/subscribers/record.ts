import { sql } from 'kysely'
import { type DbWork, first, q, run, runEach, statement } from '../../storage/query.ts'
import { type Chunk, type Claim, type NoticeLease, type NoticeRecipient, noticeQueue } from './claim.ts'
import { type NextStep, nextStep, outagePauseMs } from './next-step.ts'
import type { SendResult } from './types.ts'

export interface ChunkResults {
  /** By the number of the subscriber. */
  readonly results: ReadonlyMap<number, SendResult>
  /** The node is stopping: e-mails without a result do not count as failures of the mail server. */
  readonly isStopping: boolean
}

export interface ChunkCounts {
  readonly sent: number
  readonly retried: number
  readonly rejected: number
  readonly disabled: number
  readonly givenUp: number
}

const advance = statement((update: NoticeLease & { dueAt: number; afterNum: number; failures: number }) =>
  noticeQueue.updateClaimed(update).set({
    due_at: update.dueAt,
    claimed_by: null,
    after_num: update.afterNum,
    failures: update.failures,
  }),
)

interface NoticeKey {
  orgId: string
  id: string
}

const postpone = statement(({ orgId, id, dueAt }: NoticeKey & { dueAt: number }) =>
  q.updateTable('subscriber_notices').set({ due_at: dueAt }).where('org_id', '=', orgId).where('id', '=', id),
)

const deleteNotice = statement(({ orgId, id }: NoticeKey) =>
  q.deleteFrom('subscriber_notices').where('org_id', '=', orgId).where('id', '=', id),
)

const nextRetry = statement(({ orgId, id }: NoticeKey) =>
  q
    .selectFrom('subscriber_retries')
    .select((is) => is.fn.min('due_at').as('at'))
    .where('org_id', '=', orgId)
    .where('notice_id', '=', id),
)

const deleteRetry = statement(({ orgId, id, num }: NoticeKey & { num: number }) =>
  q.deleteFrom('subscriber_retries').where('org_id', '=', orgId).where('notice_id', '=', id).where('num', '=', num),
)

interface Retry extends NoticeKey {
  num: number
  attempts: number
  dueAt: number
}

const upsertRetry = statement(({ orgId, id, num, attempts, dueAt }: Retry) =>
  q
    .insertInto('subscriber_retries')
    .columns(['org_id', 'notice_id', 'num', 'attempts', 'due_at'])
    // Selected from subscribers so that somebody who unsubscribed meanwhile gets no retry.
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

const resetRejections = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q
    .updateTable('subscribers')
    .set({ rejections: 0, last_error: null, failing_since: null })
    .where('org_id', '=', orgId)
    .where('num', '=', num),
)

interface Rejected {
  orgId: string
  num: number
  error: string
  state: 'CONFIRMED' | 'DISABLED'
}

const addRejection = statement(({ orgId, num, error, state }: Rejected) =>
  q
    .updateTable('subscribers')
    .set({ rejections: sql<number>`rejections + 1`, last_error: error, state })
    .where('org_id', '=', orgId)
    .where('num', '=', num)
    .where('state', '=', 'CONFIRMED'),
)

interface Failed {
  orgId: string
  num: number
  error: string
  now: number
}

const noteFailure = statement(({ orgId, num, error, now }: Failed) =>
  q
    .updateTable('subscribers')
    .set({ failing_since: sql<number>`coalesce(failing_since, cast(${now} as bigint))`, last_error: error })
    .where('org_id', '=', orgId)
    .where('num', '=', num),
)

const deleteSubscriber = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q.deleteFrom('subscribers').where('org_id', '=', orgId).where('num', '=', num),
)

interface Decided extends NoticeRecipient {
  readonly result: SendResult
  readonly step: NextStep
}

/**
 * Records the results of a chunk and when the notice continues. Undefined if the claim has ended; then its new holder
 * sends the same chunk again.
 */
export function* recordChunk(
  claim: Claim,
  chunk: Chunk,
  { results, isStopping }: ChunkResults,
  now: number,
  random: () => number,
): DbWork<ChunkCounts | undefined> {
  const { orgId, id, lease } = claim
  const decided = chunk.recipients.map((recipient): Decided => {
    const result = results.get(recipient.num) ?? { ok: false, fault: 'unreachable', error: '' }
    return {
      ...recipient,
      result,
      step: nextStep(result, { ...recipient, failingMs: now - (recipient.failingSince ?? now) }, random()),
    }
  })
  const isDown = !isStopping && decided.some(({ result }) => !result.ok && result.fault === 'unreachable')
  const failures = isDown ? claim.failures + 1 : 0
  const resumeAt = now + (isDown ? outagePauseMs(failures) : 0)
  const update = { ...lease, dueAt: resumeAt, afterNum: chunk.afterNum, failures }
  if ((yield* run(advance, update)) === 0) return undefined
  yield* saveResults(claim, decided, chunk.inactive, resumeAt, now)
  if (chunk.isLast) {
    const at = (yield* first(nextRetry, { orgId, id }))?.at
    if (at == null) yield* run(deleteNotice, { orgId, id })
    else if (at > resumeAt) yield* run(postpone, { orgId, id, dueAt: at })
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

function* saveResults(
  { orgId, id }: Claim,
  decided: readonly Decided[],
  inactive: readonly number[],
  resumeAt: number,
  now: number,
): DbWork<void> {
  const settled = [...inactive, ...decided.filter(({ step }) => step.do !== 'retry').map(({ num }) => num)]
  yield* runEach(
    deleteRetry,
    settled.map((num) => ({ orgId, id, num })),
  )
  yield* runEach(
    upsertRetry,
    decided.flatMap(({ num, attempts, step }) => {
      if (step.do !== 'retry') return []
      const dueAt = step.counts ? now + step.inMs : resumeAt
      return [{ orgId, id, num, attempts: step.counts ? attempts + 1 : attempts, dueAt }]
    }),
  )
  yield* runEach(
    resetRejections,
    decided.flatMap(({ num, rejections, failingSince, step }) =>
      step.do === 'done' && (rejections > 0 || failingSince !== null) ? [{ orgId, num }] : [],
    ),
  )
  yield* runEach(
    addRejection,
    decided.flatMap(({ num, kind, result, step }) => {
      if (step.do !== 'reject' || result.ok || (step.disable && kind !== 'EMAIL')) return []
      return [{ orgId, num, error: result.error, state: step.disable ? ('DISABLED' as const) : ('CONFIRMED' as const) }]
    }),
  )
  yield* saveEndpointFailures(orgId, decided, now)
}

/** An endpoint that does not exist any more is deleted: its owner can subscribe it again. */
function* saveEndpointFailures(orgId: string, decided: readonly Decided[], now: number): DbWork<void> {
  const endpoints = decided.filter(({ kind }) => kind !== 'EMAIL')
  yield* runEach(
    noteFailure,
    endpoints.flatMap(({ num, result, step }) => {
      const hasFailed = step.do === 'giveUp' || (step.do === 'retry' && step.counts)
      return hasFailed && !result.ok ? [{ orgId, num, error: result.error, now }] : []
    }),
  )
  yield* runEach(
    deleteSubscriber,
    endpoints.flatMap(({ num, step }) => (step.do === 'reject' && step.disable ? [{ orgId, num }] : [])),
  )
}

/** For a notice whose page or topic no longer exists. */
export function* dropNotice({ lease }: Claim): DbWork<void> {
  yield* noticeQueue.remove(lease)
}
