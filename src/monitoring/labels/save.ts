import { sql } from 'kysely'
import { invalid } from '../../contract/errors.ts'
import { canonicalJson } from '../../lib/json.ts'
import type { Labels } from '../../lib/selector.ts'
import { batch, insertBatch, sendAll, usingRows } from '../../storage/batch.ts'
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

const labelTypes = { org_id: 'text', num: 'bigint', key: 'text' } as const

const removeLabel = batch<{ org_id: string; num: number; key: string }>(labelTypes, (label, rows) =>
  usingRows(q.deleteFrom('monitor_labels as l'), rows)
    .where('l.org_id', '=', label.org_id)
    .where('l.num', '=', label.num)
    .where('l.key', '=', label.key),
)

const saveLabel = insertBatch('monitor_labels', { ...labelTypes, value: 'text' }, (insert) =>
  insert.onConflict((conflict) =>
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
      .map((key) => ({ org_id: orgId, num, key })),
  )
  const saved = changes.flatMap(({ num, before, after }) =>
    Object.entries(after)
      .filter(([key, value]) => before[key] !== value)
      .map(([key, value]) => ({ org_id: orgId, num, key, value })),
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

/** `monitors`: how many more have it, or fewer. */
interface KeyCount {
  readonly org_id: string
  readonly key: string
  readonly monitors: number
}

const keyTypes = { org_id: 'text', key: 'text', monitors: 'bigint' } as const

const countKey = insertBatch('label_keys', keyTypes, (insert) =>
  insert.onConflict((conflict) =>
    conflict.columns(['org_id', 'key']).doUpdateSet({ monitors: sql<number>`label_keys.monitors + excluded.monitors` }),
  ),
)

const forgetKey = batch<KeyCount>(keyTypes, (label, rows) =>
  usingRows(q.deleteFrom('label_keys as k'), rows)
    .where('k.org_id', '=', label.org_id)
    .where('k.key', '=', label.key)
    .where('k.monitors', '=', 0),
)

interface ValueCount extends KeyCount {
  readonly value: string
}

const valueTypes = { ...keyTypes, value: 'text' } as const

const countValue = insertBatch('label_values', valueTypes, (insert) =>
  insert.onConflict((conflict) =>
    conflict
      .columns(['org_id', 'key', 'value'])
      .doUpdateSet({ monitors: sql<number>`label_values.monitors + excluded.monitors` }),
  ),
)

const forgetValue = batch<ValueCount>(valueTypes, (label, rows) =>
  usingRows(q.deleteFrom('label_values as l'), rows)
    .where('l.org_id', '=', label.org_id)
    .where('l.key', '=', label.key)
    .where('l.value', '=', label.value)
    .where('l.monitors', '=', 0),
)

function* saveCounts(orgId: string, changes: readonly LabelChange[]): DbWork<void> {
  const keys = new Map<string, number>()
  const values = new Map<string, ValueCount>()
  const add = (labels: Labels, by: 1 | -1) => {
    for (const [key, value] of Object.entries(labels)) {
      keys.set(key, (keys.get(key) ?? 0) + by)
      const at = `${key}=${value}`
      values.set(at, { org_id: orgId, key, value, monitors: (values.get(at)?.monitors ?? 0) + by })
    }
  }
  for (const { before, after } of changes) {
    add(before, -1)
    add(after, 1)
  }
  const keyCounts = [...keys].map(([key, monitors]) => ({ org_id: orgId, key, monitors })).filter(changed)
  const valueCounts = [...values.values()].filter(changed)
  yield* sendAll(countKey, keyCounts)
  yield* sendAll(countValue, valueCounts)
  yield* sendAll(forgetKey, keyCounts.filter(decreased))
  yield* sendAll(forgetValue, valueCounts.filter(decreased))
}

const changed = ({ monitors }: KeyCount) => monitors !== 0
const decreased = ({ monitors }: KeyCount) => monitors < 0
