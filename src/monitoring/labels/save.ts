import { sql } from 'kysely'
import { invalid } from '../../contract/errors.ts'
import type { Labels } from '../../lib/selector.ts'
import { type DbWork, execute, q, run, runEach, statement } from '../../storage/query.ts'

/** The labels of one monitor before and after a change. */
export interface LabelChange {
  readonly num: number
  readonly before: Labels
  readonly after: Labels
}

/** Called in the transaction that has changed labels: what depends on selectors follows the labels. */
export type LabelListener = (orgId: string, changes: readonly LabelChange[], now: number) => DbWork<void>

/** More keys would make the list of labels useless, and each is a label of the metrics. */
const MAX_KEYS = 1_000

interface LabelKey {
  readonly orgId: string
  readonly num: number
  readonly key: string
}

const removeLabel = statement(({ orgId, num, key }: LabelKey) =>
  q.deleteFrom('monitor_labels').where('org_id', '=', orgId).where('num', '=', num).where('key', '=', key),
)

const saveLabel = statement(({ orgId, num, key, value }: LabelKey & { value: string }) =>
  q
    .insertInto('monitor_labels')
    .values({ org_id: orgId, num, key, value })
    .onConflict((conflict) => conflict.columns(['org_id', 'num', 'key']).doUpdateSet({ value })),
)

/** Saves the labels of monitors that are locked, and the counts of labels. Nothing else depends on it: see `changeLabels`. */
export function* saveLabels(orgId: string, changes: readonly LabelChange[]): DbWork<void> {
  const removed = changes.flatMap(({ num, before, after }) =>
    Object.keys(before)
      .filter((key) => !Object.hasOwn(after, key))
      .map((key) => ({ orgId, num, key })),
  )
  const saved = changes.flatMap(({ num, before, after }) =>
    Object.entries(after)
      .filter(([key, value]) => before[key] !== value)
      .map(([key, value]) => ({ orgId, num, key, value })),
  )
  yield* runEach(removeLabel, removed)
  yield* runEach(saveLabel, saved)
  yield* saveCounts(orgId, changes)
}

const lockOrganization = statement(({ orgId }: { orgId: string }) =>
  q.selectFrom('organizations').select('id').where('id', '=', orgId).forNoKeyUpdate(),
)

/**
 * Changes of labels and of selectors of an organization run one at a time: each sees the result of the other, so that what
 * follows a selector is complete. Locks no monitors, windows or pages that the caller has not locked.
 */
export function* lockLabels(orgId: string): DbWork<void> {
  yield* run(lockOrganization, { orgId })
}

/** Saves the changes of monitors that are locked, and calls the listeners. */
export function* changeLabels(
  orgId: string,
  changes: readonly LabelChange[],
  listeners: readonly LabelListener[],
  now: number,
): DbWork<void> {
  if (changes.length === 0) return
  yield* rejectTooManyKeys(orgId, changes)
  yield* lockLabels(orgId)
  yield* saveLabels(orgId, changes)
  for (const listener of listeners) yield* listener(orgId, changes, now)
}

function* rejectTooManyKeys(orgId: string, changes: readonly LabelChange[]): DbWork<void> {
  const added = new Set(
    changes.flatMap(({ after, before }) => Object.keys(after).filter((key) => !Object.hasOwn(before, key))),
  )
  if (added.size === 0) return
  const known = yield* execute(
    q
      .selectFrom('label_keys')
      .select('key')
      .where('org_id', '=', orgId)
      .where('key', 'in', [...added]),
  )
  const unknown = [...added.difference(new Set(known.map(({ key }) => key)))]
  if (unknown.length === 0) return
  const [row] = yield* execute(
    q.selectFrom('label_keys').select(sql<number>`cast(count(*) as bigint)`.as('n')).where('org_id', '=', orgId),
  )
  const room = MAX_KEYS - (row?.n ?? 0)
  if (unknown.length <= room) return
  throw invalid(
    unknown.slice(Math.max(0, room)).map((key) => ({
      path: `labels.${key}`,
      message: `is a new key, and the organization already has ${MAX_KEYS} label keys; use an existing key`,
    })),
  )
}

interface KeyCount {
  readonly orgId: string
  readonly key: string
  readonly count: number
}

const countKey = statement(({ orgId, key, count }: KeyCount) =>
  q
    .insertInto('label_keys')
    .values({ org_id: orgId, key, monitors: count })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'key']).doUpdateSet({ monitors: sql<number>`label_keys.monitors + ${count}` }),
    ),
)

const forgetKey = statement(({ orgId, key }: KeyCount) =>
  q.deleteFrom('label_keys').where('org_id', '=', orgId).where('key', '=', key).where('monitors', '=', 0),
)

interface ValueCount extends KeyCount {
  readonly value: string
}

const countValue = statement(({ orgId, key, value, count }: ValueCount) =>
  q
    .insertInto('label_values')
    .values({ org_id: orgId, key, value, monitors: count })
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'key', 'value'])
        .doUpdateSet({ monitors: sql<number>`label_values.monitors + ${count}` }),
    ),
)

const forgetValue = statement(({ orgId, key, value }: ValueCount) =>
  q
    .deleteFrom('label_values')
    .where('org_id', '=', orgId)
    .where('key', '=', key)
    .where('value', '=', value)
    .where('monitors', '=', 0),
)

function* saveCounts(orgId: string, changes: readonly LabelChange[]): DbWork<void> {
  const keys = new Map<string, number>()
  const values = new Map<string, ValueCount>()
  const add = (labels: Labels, by: 1 | -1) => {
    for (const [key, value] of Object.entries(labels)) {
      keys.set(key, (keys.get(key) ?? 0) + by)
      const at = `${key}=${value}`
      values.set(at, { orgId, key, value, count: (values.get(at)?.count ?? 0) + by })
    }
  }
  for (const { before, after } of changes) {
    add(before, -1)
    add(after, 1)
  }
  // Sorted, so that two transactions lock the rows in the same order.
  const keyCounts = [...keys]
    .map(([key, count]) => ({ orgId, key, count }))
    .filter(changed)
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const valueCounts = [...values]
    .filter(([, counted]) => changed(counted))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, counted]) => counted)
  yield* runEach(countKey, keyCounts)
  yield* runEach(countValue, valueCounts)
  yield* runEach(forgetKey, keyCounts.filter(decreased))
  yield* runEach(forgetValue, valueCounts.filter(decreased))
}

const changed = ({ count }: { readonly count: number }) => count !== 0
const decreased = ({ count }: { readonly count: number }) => count < 0
