import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Read } from '../../contract/operation.ts'
import { countInList } from '../../storage/list-index.ts'
import { all, q, statement } from '../../storage/query.ts'
import { EXACT_UP_TO } from '../monitor-list/find.ts'
import type { MonitorState } from '../monitor-states/state.ts'
import { uptimeRatios } from '../uptime/compute.ts'

/** Monitors that are read at once: bounds how long the event loop is blocked. */
const AT_ONCE = 500

interface Row {
  readonly num: number
  readonly seq: number
  readonly id: string
  readonly name: string
  readonly type: string
  readonly state: MonitorState
  readonly uptime: number | null
  readonly last_checked_at: number | null
  readonly last_response_ms: number | null
  readonly cert_expires_at: number | null
}

/**
 * By position, for which there is an index. The limit is inside: PostgreSQL then looks up 500 states by number. With the limit
 * outside it would read all states for every portion.
 */
const rowsAfter = statement(({ orgId, seq }: { orgId: string; seq: number }) =>
  q
    .selectFrom(
      q
        .selectFrom('monitors')
        .select(['num', 'seq', 'id', 'name', 'type'])
        .where('org_id', '=', orgId)
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(sql.lit(AT_ONCE))
        .as('m'),
    )
    .innerJoin('monitor_states as s', 's.num', 'm.num')
    .selectAll('m')
    .select(['s.state', 's.uptime', 's.last_checked_at', 's.last_response_ms', 's.cert_expires_at'])
    .orderBy('m.seq'),
)

interface Range {
  readonly orgId: string
  readonly after: number
  readonly upto: number
}

interface LabelRow {
  readonly num: number
  readonly key: string
  readonly value: string
}

/** By range, not by a list of numbers: building a statement with 500 parameters takes longer than running this one. */
const labelsBetween = statement(({ orgId, after, upto }: Range) =>
  q
    .selectFrom('monitor_labels')
    .select(['num', 'key', 'value'])
    .where('org_id', '=', orgId)
    .where('num', '>', after)
    .where('num', '<=', upto)
    .orderBy('num')
    .orderBy('key'),
)

/** Prometheus' numbers for states. */
const stateNumbers: Readonly<Record<MonitorState, number>> = { PENDING: 0, UP: 1, DEGRADED: 2, DOWN: 3, PAUSED: 4 }

interface Family {
  readonly name: string
  readonly help: string
  /** Null: the monitor has no such sample. */
  readonly value: (row: Row) => number | null
  /** Labels besides those of the monitor. */
  readonly labels?: string
}

const seconds = (ms: number | null) => (ms === null ? null : ms / 1000)

const families: readonly Family[] = [
  {
    name: 'pharos_monitor_up',
    help: 'Whether the monitor is up: 1 for UP and DEGRADED, 0 for DOWN; absent while it is pending or paused',
    value: ({ state }) => (state === 'DOWN' ? 0 : state === 'UP' || state === 'DEGRADED' ? 1 : null),
  },
  {
    name: 'pharos_monitor_state',
    help: 'State of the monitor: 0 PENDING, 1 UP, 2 DEGRADED, 3 DOWN, 4 PAUSED',
    value: ({ state }) => stateNumbers[state],
  },
  {
    name: 'pharos_monitor_response_seconds',
    help: 'Response time of the last check that had one',
    value: (row) => seconds(row.last_response_ms),
  },
  {
    name: 'pharos_monitor_certificate_expiry_timestamp_seconds',
    help: 'When the certificate expires, or the registration of a DOMAIN monitor, in seconds since 1970',
    value: (row) => seconds(row.cert_expires_at),
  },
  {
    name: 'pharos_monitor_uptime_ratio',
    help: `Up time divided by up and down time, from 0 to 1; at most an hour old if there are more than ${EXACT_UP_TO.toLocaleString('en-US')} monitors`,
    labels: ',span="30d"',
    value: ({ uptime }) => uptime,
  },
  {
    name: 'pharos_monitor_last_check_timestamp_seconds',
    help: 'When the monitor was last checked, in seconds since 1970',
    value: (row) => seconds(row.last_checked_at),
  },
]

/** The monitors of an organization in Prometheus' text format, as parts of a text. */
export async function monitorMetrics(read: Read, orgId: string, now: number): Promise<readonly string[]> {
  const lines: string[][] = families.map(({ name, help }) => [`# HELP ${name} ${help}\n# TYPE ${name} gauge\n`])
  // Larger organizations have stored values.
  const isLarge = (await read(countInList(orgId, 'monitor'))) > EXACT_UP_TO
  const rowsBeyond = async (seq: number) => (await read(all(rowsAfter, { orgId, seq }))) as readonly Row[]
  let rows = await rowsBeyond(-1)
  for (let after = -1; rows.length > 0; ) {
    const last = rows.at(-1) as Row
    const isEnd = rows.length < AT_ONCE
    // PostgreSQL reads the next monitors meanwhile. Numbers have the order of positions.
    const [labels, following] = await Promise.all([
      read(all(labelsBetween, { orgId, after, upto: last.num })),
      isEnd ? [] : rowsBeyond(last.seq),
    ])
    const nums = rows.map(({ num }) => num)
    addLines(lines, rows, labels, isLarge ? undefined : await read(uptimeRatios(nums, '30d', now)))
    after = last.num
    rows = following
    await setImmediate()
  }
  return lines.flat()
}

/** A part of the text for each family: a family's samples must follow each other. The labels are in order of monitors. */
function addLines(
  lines: readonly string[][],
  rows: readonly Row[],
  labels: readonly LabelRow[],
  ratios: ReadonlyMap<number, number | null> | undefined,
): void {
  // Joined at the end: a text that grows by concatenation is a tree of strings until it is sent, which costs twice as much.
  const texts: string[][] = families.map(() => [])
  let next = 0
  for (const row of rows) {
    const known = ratios === undefined ? row : { ...row, uptime: ratios.get(row.num) ?? null }
    // Labels of monitors that were deleted between the two reads.
    while (next < labels.length && (labels[next] as LabelRow).num < row.num) next += 1
    const from = next
    while (next < labels.length && (labels[next] as LabelRow).num === row.num) next += 1
    const its = labelText(row, labels.slice(from, next))
    for (let i = 0; i < families.length; i += 1) {
      const { name, labels: more = '', value } = families[i] as Family
      const number = value(known)
      if (number !== null) texts[i]?.push(name, '{', its, more, '} ', String(number), '\n')
    }
  }
  for (const [i, text] of texts.entries()) lines[i]?.push(text.join(''))
}

export function labelText(
  { id, name, type }: Pick<Row, 'id' | 'name' | 'type'>,
  labels: readonly { readonly key: string; readonly value: string }[] = [],
): string {
  let text = `id="${id}",name="${escaped(name)}",type="${type}"`
  for (const [i, { key, value }] of labels.entries()) {
    const label = labelName(key)
    // Prometheus refuses a label twice: of `cost-center` and `cost_center` the first one counts.
    const isRepeated = label.includes('_') && labels.some((other, at) => at < i && labelName(other.key) === label)
    if (!isRepeated) text += `,label_${label}="${escaped(value)}"`
  }
  return text
}

/** Names of labels in Prometheus have no hyphens. Keys of labels have no other characters that are not allowed there. */
function labelName(key: string): string {
  return key.includes('-') ? key.replaceAll('-', '_') : key
}

const special = /[\\"\n]/g

/** As the exposition format requires it for label values. */
function escaped(text: string): string {
  if (text.search(special) === -1) return text
  return text.replace(special, (character) => (character === '\n' ? '\\n' : `\\${character}`))
}
