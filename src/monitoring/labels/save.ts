import { sql } from 'kysely'
import { invalid } from '../../contract/errors.ts'
import { canonicalJson } from '../../lib/json.ts'
import type { Labels } from '../../lib/selector.ts'
import { batch, insertRows, sendAll, usingRows } from '../../storage/batch.ts'
import { labelsOf } from '../../storage/labels/read.ts'
import { awaitSent, type DbWork, execute, q, run, statement } from '../../storage/query.ts'

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

/** Monitors whose labels are saved at once: 3,000 labels at most, so that the event loop is free in between. */
const PORTION = 100

interface LabelKey {
  readonly orgId: string
  readonly num: number
  readonly key: string
}

const labelTypes = { orgId: 'text', num: 'bigint', key: 'text' } as const

const removeLabel = batch<LabelKey>(labelTypes, (label, rows) =>
  usingRows(q.deleteFrom('monitor_labels as l'), rows)
    .where('l.org_id', '=', label.orgId)
    .where('l.num', '=', label.num)
    .where('l.key', '=', label.key),
)

const saveLabel = batch<LabelKey & { value: string }>(
  { ...labelTypes, value: 'text' },
  ({ orgId, num, key, value }, rows) =>
    insertRows('monitor_labels', { org_id: orgId, num, key, value }, rows).onConflict((conflict) =>
      conflict.columns(['org_id', 'num', 'key']).doUpdateSet(({ ref }) => ({ value: ref('excluded.value') })),
    ),
)

/** Removes the labels of monitors that are about to be deleted. Labels are locked. */
export function* removeLabelsOfMonitors(orgId: string, monitors: readonly { readonly num: number }[]): DbWork<void> {
  const nums = monitors.map(({ num }) => num)
  const labels = yield* labelsOf(orgId, nums)
  yield* saveLabels(
    orgId,
    nums.map((num) => ({ num, before: labels(num), after: {} })),
  )
}

/** Saves the labels of monitors, and the counts of labels. Labels and the monitors are locked. */
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
  yield* sendAll(removeLabel, removed)
  yield* sendAll(saveLabel, saved)
  yield* saveCounts(orgId, changes)
}

const lockOrganization = statement(({ orgId }: { orgId: string }) =>
  q.selectFrom('organizations').select('id').where('id', '=', orgId).forNoKeyUpdate(),
)

/**
 * Changes of labels and of selectors of an organization, and deletions of monitors, run one at a time: each sees the result of
 * the other, so that what follows a selector is complete. Called before monitors, windows and pages are locked: which ones
 * a selector matches is known only afterwards, so another order could deadlock.
 */
export function* lockLabels(orgId: string): DbWork<void> {
  yield* run(lockOrganization, { orgId })
}

/**
 * Saves the changes and calls the listeners. Labels and the monitors are locked. Monitors whose labels stay the same are left
 * out.
 */
export function* changeLabels(
  orgId: string,
  given: readonly LabelChange[],
  listeners: readonly LabelListener[],
  now: number,
): DbWork<void> {
  const changes: LabelChange[] = []
  for (let at = 0; at < given.length; at += PORTION) {
    const some = given
      .slice(at, at + PORTION)
      .filter(({ before, after }) => canonicalJson(before) !== canonicalJson(after))
    if (some.length === 0) continue
    yield* rejectTooManyKeys(orgId, some)
    yield* saveLabels(orgId, some)
    if (at + PORTION < given.length) yield* awaitSent()
    changes.push(...some)
  }
  if (changes.length === 0) return
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

const keyTypes = { orgId: 'text', key: 'text', count: 'bigint' } as const

const countKey = batch<KeyCount>(keyTypes, ({ orgId, key, count }, rows) =>
  insertRows('label_keys', { org_id: orgId, key, monitors: count }, rows).onConflict((conflict) =>
    conflict.columns(['org_id', 'key']).doUpdateSet({ monitors: sql<number>`label_keys.monitors + excluded.monitors` }),
  ),
)

const forgetKey = batch<KeyCount>(keyTypes, ({ orgId, key }, rows) =>
  usingRows(q.deleteFrom('label_keys as k'), rows)
    .where('k.org_id', '=', orgId)
    .where('k.key', '=', key)
    .where('k.monitors', '=', 0),
)

interface ValueCount extends KeyCount {
  readonly value: string
}

const valueTypes = { ...keyTypes, value: 'text' } as const

const countValue = batch<ValueCount>(valueTypes, ({ orgId, key, value, count }, rows) =>
  insertRows('label_values', { org_id: orgId, key, value, monitors: count }, rows).onConflict((conflict) =>
    conflict
      .columns(['org_id', 'key', 'value'])
      .doUpdateSet({ monitors: sql<number>`label_values.monitors + excluded.monitors` }),
  ),
)

const forgetValue = batch<ValueCount>(valueTypes, ({ orgId, key, value }, rows) =>
  usingRows(q.deleteFrom('label_values as l'), rows)
    .where('l.org_id', '=', orgId)
    .where('l.key', '=', key)
    .where('l.value', '=', value)
    .where('l.monitors', '=', 0),
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
  const keyCounts = [...keys].map(([key, count]) => ({ orgId, key, count })).filter(changed)
  const valueCounts = [...values.values()].filter(changed)
  yield* sendAll(countKey, keyCounts)
  yield* sendAll(countValue, valueCounts)
  yield* sendAll(forgetKey, keyCounts.filter(decreased))
  yield* sendAll(forgetValue, valueCounts.filter(decreased))
}

const changed = ({ count }: { readonly count: number }) => count !== 0
const decreased = ({ count }: { readonly count: number }) => count < 0
