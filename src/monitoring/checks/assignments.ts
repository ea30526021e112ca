/**
 * Which node checks a monitor, on PostgreSQL. `claimed_by` names the node, which keeps the monitor until it releases it, dies,
 * or the monitor is changed: a change makes the monitor unassigned, so that a node finds it at once. A check writes
 * `next_check_at`, which no index contains, so PostgreSQL can update the row in place (docs/decisions/0017).
 *
 * A node that lost a monitor finds out before its next check: everything that takes a monitor away without its knowledge
 * increments the revision.
 */
import { sql } from 'kysely'
import { allOf, batch, fromRows } from '../../storage/batch.ts'
import { claimantsOf } from '../../storage/nodes/claimants.ts'
import { all, type DbWork, first, q, statement } from '../../storage/query.ts'

/** A monitor that this node checks, and when. */
export interface Assignment {
  readonly num: number
  readonly org_id: string
  readonly revision: number
  readonly edition: number
  readonly next_check_at: number | null
}

const assignmentColumns = ['num', 'org_id', 'revision', 'edition', 'next_check_at'] as const

/** With a literal: PostgreSQL uses a partial index only if it can see that the condition implies the index's. */
const isUnassigned = sql<boolean>`claimed_by is null and state <> 'PAUSED'`

const anyUnassigned = statement((_: object) =>
  q.selectFrom('monitor_states').select('num').where(isUnassigned).limit(1),
)

/** A read that is cheaper than taking, for nodes that look several times a second. */
export function* isAnyUnassigned(): DbWork<boolean> {
  return (yield* first(anyUnassigned, {})) !== undefined
}

const takeUnassigned = statement(({ node, limit }: { node: string; limit: number }) =>
  q
    // Materialised, so that PostgreSQL runs the subquery once and the limit holds.
    .with(
      (name) => name('free').materialized(),
      () =>
        q
          .selectFrom('monitor_states')
          .select('num')
          .where(isUnassigned)
          .orderBy('num')
          .limit(limit)
          .forNoKeyUpdate()
          .skipLocked(),
    )
    .updateTable('monitor_states')
    .set({ claimed_by: node })
    .where('num', 'in', ({ selectFrom }) => selectFrom('free').select('num'))
    .returning(assignmentColumns),
)

/** The revision stays: nobody is checking these monitors, except perhaps a user, whose result then counts. */
export function assignUnassigned(node: string, limit: number): DbWork<readonly Assignment[]> {
  return all(takeUnassigned, { node, limit })
}

const takeFrom = statement(({ node, from, limit }: { node: string; from: string; limit: number }) =>
  q
    .with(
      (name) => name('left_behind').materialized(),
      () =>
        q
          .selectFrom('monitor_states')
          .select('num')
          .where('claimed_by', '=', from)
          .orderBy('num')
          .limit(limit)
          .forNoKeyUpdate()
          .skipLocked(),
    )
    .updateTable('monitor_states')
    .set({ claimed_by: node, revision: sql<number>`revision + 1` })
    .where('num', 'in', ({ selectFrom }) => selectFrom('left_behind').select('num'))
    .returning(assignmentColumns),
)

/** Takes over monitors of a node that is gone. The new revision discards results that it may still write. */
export function takeOver(node: string, from: string, limit: number): DbWork<readonly Assignment[]> {
  return all(takeFrom, { node, from, limit })
}

/** A node joins before it takes monitors. */
const gone = claimantsOf('monitor_states', sql`not exists (select 1 from nodes as n where n.name = claimant.name)`)

/** The names of nodes that monitors are assigned to and that are no members any more. */
export function* goneNodes(): DbWork<readonly string[]> {
  return (yield* all(gone, {})).map(({ name }) => name)
}

const ownPage = statement(({ node, after, limit }: { node: string; after: number; limit: number }) =>
  q
    .selectFrom('monitor_states')
    .select(assignmentColumns)
    .where('claimed_by', '=', node)
    .where('num', '>', after)
    .orderBy('num')
    .limit(limit),
)

/** What the database says is assigned to a node, by number. */
export function assignmentsOf(node: string, after: number, limit: number): DbWork<readonly Assignment[]> {
  return all(ownPage, { node, after, limit })
}

const release = batch<{ num: number; node: string }>({ num: 'bigint', node: 'text' }, (held, rows) => {
  const released = q.updateTable('monitor_states as s').set({ claimed_by: null })
  return fromRows(released, rows).where('s.num', '=', held.num).where('s.claimed_by', '=', held.node)
})

/** Makes monitors unassigned that this node is not checking at the moment. */
export function* releaseAssignments(node: string, nums: readonly number[]): DbWork<void> {
  yield* allOf(
    release,
    nums.toSorted((a, b) => a - b).map((num) => ({ num, node })),
  )
}

const outdated = batch<{ num: number; revision: number }, { num: number }>(
  { num: 'bigint', revision: 'bigint' },
  (known, rows) => {
    const from = rows === undefined ? sql`` : sql`from ${rows.table}`
    return sql<{ num: number }>`select ${known.num} as num ${from} where not exists
      (select 1 from monitor_states as s where s.num = ${known.num} and s.revision = ${known.revision})`
  },
)

/** Those that were changed, deleted or taken away since this node read them. */
export function* outdatedAmong(
  known: readonly { readonly num: number; readonly revision: number }[],
): DbWork<ReadonlySet<number>> {
  return new Set((yield* allOf(outdated, known)).map(({ num }) => num))
}
