import { sql } from 'kysely'
import { newId } from '../../lib/ids.ts'
import { all, ask, first, q, run, statement, type Work } from '../../storage/query.ts'

const insert = statement((r: { orgId: string; id: string; nums: string | null }) =>
  q.insertInto('maintenance_rechecks').values({ org_id: r.orgId, id: r.id, nums: r.nums, after_seq: -1 }),
)

/** Has monitors checked because a window over them has ended: by their numbers as JSON, or all (null). */
export function* recheckLater(orgId: string, nums: string | null, now: number): Work<void> {
  if (nums !== '[]') yield* run(insert, { orgId, id: newId('mw', now), nums })
}

const waiting = statement((_: object) =>
  q
    .selectFrom('maintenance_rechecks')
    .select(['org_id', 'id', 'nums', 'after_seq'])
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .skipLocked(),
)

const anyWaiting = statement((_: object) => q.selectFrom('maintenance_rechecks').select('id').limit(1))

export function* isRecheckWaiting(): Work<boolean> {
  return (yield* first(anyWaiting, {})) !== undefined
}

/** As many as one transaction may make due; a window names no more. */
const AT_ONCE = 500

const someOf = statement(({ orgId, afterSeq }: { orgId: string; afterSeq: number }) =>
  q
    .selectFrom('monitors')
    .select(['num', 'seq'])
    .where('org_id', '=', orgId)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(AT_ONCE),
)

interface Place {
  orgId: string
  id: string
}

const goOn = statement(({ orgId, id, afterSeq }: Place & { afterSeq: number }) =>
  q.updateTable('maintenance_rechecks').set({ after_seq: afterSeq }).where('org_id', '=', orgId).where('id', '=', id),
)

const done = statement(({ orgId, id }: Place) =>
  q.deleteFrom('maintenance_rechecks').where('org_id', '=', orgId).where('id', '=', id),
)

/** Makes some of the monitors due that are to be checked; says how many, and undefined when none are left. */
export function* recheckSome(now: number): Work<number | undefined> {
  const recheck = yield* first(waiting, {})
  if (recheck === undefined) return undefined
  const { org_id: orgId, id, nums } = recheck
  if (nums !== null) {
    yield* run(done, { orgId, id })
    return yield* makeDue(orgId, JSON.parse(nums), now)
  }
  const some = yield* all(someOf, { orgId, afterSeq: recheck.after_seq })
  if (some.length < AT_ONCE) yield* run(done, { orgId, id })
  else yield* run(goOn, { orgId, id, afterSeq: some.at(-1)?.seq ?? 0 })
  return yield* makeDue(
    orgId,
    some.map(({ num }) => num),
    now,
  )
}

/**
 * A check under way began inside the window and says nothing about the time after it: it is overtaken, and made again.
 * Whoever is never due (paused, or waiting for its first heartbeat) stays so.
 */
function* makeDue(orgId: string, nums: readonly number[], now: number): Work<number> {
  if (nums.length === 0) return 0
  const due = yield* ask(
    q
      .updateTable('monitor_states')
      .set({ next_check_at: now, claimed_by: null, revision: sql<number>`revision + 1` })
      .where('org_id', '=', orgId)
      .where('num', 'in', [...nums])
      .where('next_check_at', 'is not', null)
      .returning('num'),
  )
  return due.length
}
