import type { Labels } from '../../lib/selector.ts'
import { all, type DbRead, type DbWork, execute, q, statement } from '../query.ts'

interface LabelRow {
  readonly num: number
  readonly key: string
  readonly value: string
}

/** Bounds how many labels are read in one turn of the event loop. */
const NUMS_AT_ONCE = 250

const none: Labels = {}

export type LabelsByNum = (num: number) => Labels

const ofMonitor = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q
    .selectFrom('monitor_labels')
    .select(['num', 'key', 'value'])
    .where('org_id', '=', orgId)
    .where('num', '=', num)
    .orderBy('key'),
)

/** The labels of one monitor, in order of key. */
export function* labelsOfMonitor(orgId: string, num: number): DbWork<Labels> {
  return collect(yield* all(ofMonitor, { orgId, num })).get(num) ?? none
}

/** The labels of these monitors, in order of key. */
export function* labelsOf(orgId: string, nums: readonly number[]): DbRead<LabelsByNum> {
  const found = new Map<number, Record<string, string>>()
  for (let from = 0; from < nums.length; from += NUMS_AT_ONCE) {
    const rows = yield* execute(
      q
        .selectFrom('monitor_labels')
        .select(['num', 'key', 'value'])
        .where('org_id', '=', orgId)
        .where('num', 'in', nums.slice(from, from + NUMS_AT_ONCE))
        .orderBy('num')
        .orderBy('key'),
    )
    collect(rows, found)
  }
  return (num) => found.get(num) ?? none
}

function collect(rows: readonly LabelRow[], into = new Map<number, Record<string, string>>()) {
  for (const { num, key, value } of rows) into.getOrInsertComputed(num, () => ({}))[key] = value
  return into
}
