import { setImmediate } from 'node:timers/promises'
import type { Labels } from '../../lib/selector.ts'
import { type LabelsByNum, labelsOf } from '../../storage/labels/read.ts'
import { countInList } from '../../storage/list-index.ts'
import { all, type DbWork, q, statement } from '../../storage/query.ts'
import type { MonitorState } from '../monitor-states/state.ts'
import { EXACT_UP_TO } from './sort-live-values.ts'
import { uptimeRatios } from './uptime.ts'

/** Monitors that are read at once: bounds how long the event loop is blocked. */
const AT_ONCE = 500

interface Row {
  readonly num: number
  readonly id: string
  readonly name: string
  readonly type: string
  readonly state: MonitorState
  readonly uptime: number | null
  readonly last_checked_at: number | null
  readonly last_response_ms: number | null
  readonly cert_expires_at: number | null
}

const rowsAfter = statement(({ orgId, num }: { orgId: string; num: number }) =>
  q
    .selectFrom('listed_monitors as l')
    .innerJoin('monitors as m', 'm.num', 'l.num')
    .innerJoin('monitor_states as s', 's.num', 'l.num')
    .select(['l.num', 'm.id', 'm.name', 'm.type', 's.state', 'l.uptime'])
    .select(['s.last_checked_at', 's.last_response_ms', 's.cert_expires_at'])
    .where('l.org_id', '=', orgId)
    .where('l.num', '>', num)
    .orderBy('l.num')
    .limit(AT_ONCE),
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
    help: 'Up time divided by up and down time, from 0 to 1; at most 15 minutes old if there are more than 1,000 monitors',
    labels: ',span="30d"',
    value: ({ uptime }) => uptime,
  },
  {
    name: 'pharos_monitor_last_check_timestamp_seconds',
    help: 'When the monitor was last checked, in seconds since 1970',
    value: (row) => seconds(row.last_checked_at),
  },
]

type Read = <T>(work: DbWork<T>) => MaybePromise<T>
type MaybePromise<T> = T | Promise<T>

/** The monitors of an organization in Prometheus' text format, as parts of a text. */
export async function monitorMetrics(read: Read, orgId: string, now: number): Promise<readonly string[]> {
  const lines: string[][] = families.map(({ name, help }) => [`# HELP ${name} ${help}\n# TYPE ${name} gauge\n`])
  // Larger organizations have stored values.
  const isLarge = (await read(countInList(orgId, 'monitor'))) > EXACT_UP_TO
  for (let rows = await read(all(rowsAfter, { orgId, num: -1 })); rows.length > 0; ) {
    const nums = rows.map(({ num }) => num)
    const labels = await read(labelsOf(orgId, nums))
    const ratios = isLarge ? undefined : await read(uptimeRatios(nums, '30d', now))
    addLines(lines, rows as readonly Row[], labels, ratios)
    if (rows.length < AT_ONCE) break
    await setImmediate()
    rows = await read(all(rowsAfter, { orgId, num: nums.at(-1) as number }))
  }
  return lines.flat()
}

/** A part of the text for each family: a family's samples must follow each other. */
function addLines(
  lines: readonly string[][],
  rows: readonly Row[],
  labels: LabelsByNum,
  ratios: ReadonlyMap<number, number | null> | undefined,
): void {
  const texts = families.map(() => '')
  for (const row of rows) {
    const known = ratios === undefined ? row : { ...row, uptime: ratios.get(row.num) ?? null }
    const its = labelText(row, labels(row.num))
    for (let i = 0; i < families.length; i += 1) {
      const { name, labels: more = '', value } = families[i] as Family
      const number = value(known)
      if (number !== null) texts[i] += `${name}{${its}${more}} ${number}\n`
    }
  }
  for (const [i, text] of texts.entries()) lines[i]?.push(text)
}

export function labelText({ id, name, type }: Pick<Row, 'id' | 'name' | 'type'>, labels: Labels = {}): string {
  let text = `id="${escaped(id)}",name="${escaped(name)}",type="${type}"`
  const used = new Set<string>()
  for (const [key, value] of Object.entries(labels)) {
    const label = `label_${key.replace(/[^a-zA-Z0-9_]/g, '_')}`
    // Prometheus refuses a label twice: of `cost-center` and `cost_center` the first one counts.
    if (!used.has(label)) text += `,${label}="${escaped(value)}"`
    used.add(label)
  }
  return text
}

const special = /[\\"\n]/g

/** As the exposition format requires it for label values. */
function escaped(text: string): string {
  if (text.search(special) === -1) return text
  return text.replace(special, (character) => (character === '\n' ? '\\n' : `\\${character}`))
}
