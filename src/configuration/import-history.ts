import Type, { type Static } from 'typebox'
import { type Fault, invalid } from '../contract/errors.ts'
import { DOCUMENT_BODY_BYTES, operation } from '../contract/operation.ts'
import { body, nullable, resource } from '../contract/schema.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../lib/clock.ts'
import { histogramOf } from '../monitoring/monitor-states/histogram.ts'
import { type ClosedHour, emptyTotals } from '../monitoring/monitor-states/ledger.ts'
import { storeImported } from '../monitoring/monitor-states/rollups.ts'
import { awaitSent, type DbWork, execute, q } from '../storage/query.ts'
import { KEY_PATTERN } from './document.ts'
import { monitorsOfSource } from './items.ts'

/** Monitors whose rows are read and written at once, so that the event loop is free in between. */
const PORTION = 20

const periods = (unit: string, maxItems: number) =>
  Type.Array(Type.Array(nullable(Type.Number({ minimum: 0 })), { minItems: 7, maxItems: 7 }), {
    maxItems,
    description:
      `One list per ${unit}: its start in seconds since 1970, seconds up, seconds down, seconds of maintenance, checks, failed checks, ` +
      'average response time in ms or null',
  })

const MonitorHistory = Type.Object(
  {
    key: Type.String({ pattern: KEY_PATTERN, description: 'The key of the monitor in the document' }),
    hours: periods('UTC hour', 9 * 24),
    days: periods('UTC day', 10 * 366),
  },
  { additionalProperties: false },
)

const ImportHistory = body('ImportHistory', {
  source: Type.String({ pattern: KEY_PATTERN, description: 'The source of the document that manages the monitors' }),
  monitors: Type.Array(MonitorHistory, { maxItems: 1000, description: 'Each monitor at most once' }),
})

export const importHistory = operation({
  id: 'importHistory',
  method: 'POST',
  path: '/configuration/history',
  access: 'write',
  extension: true,
  tag: 'Configuration',
  bulk: true,
  summary: 'Import the history of monitors',
  description:
    'Adds hours and days that another tool has recorded to the uptime of monitors of a source. Only the time before a monitor was ' +
    'created here is imported. What an earlier import wrote for the same hours and days is replaced. Hours that are more than eight days old ' +
    'are left out: longer spans use days. The body may be compressed with gzip.',
  body: ImportHistory,
  bodyLimitBytes: DOCUMENT_BODY_BYTES,
  isDocument: true,
  answer: {
    status: 200,
    schema: resource('ImportedHistory', {
      monitors: Type.Integer({ description: 'Monitors that got history' }),
      hours: Type.Integer({ description: 'Hours that were imported' }),
      days: Type.Integer({ description: 'Days that were imported' }),
    }),
    description: 'What was imported',
  },
  *handle({ caller: { orgId }, now }, { body: { source, monitors } }) {
    const known = yield* monitorsOf(orgId, source)
    const faults = faultsOf(monitors, known)
    if (faults.length > 0) throw invalid(faults)
    const counts = { monitors: 0, hours: 0, days: 0 }
    for (let at = 0; at < monitors.length; at += PORTION) {
      const portion = monitors.slice(at, at + PORTION).map(({ key, hours, days }) => {
        const { num, createdAt } = known.get(key) as KnownMonitor
        const before = (unitMs: number) => (given: GivenPeriod) => periodBefore(createdAt, unitMs, given)
        return { orgId, num, hours: hours.flatMap(before(HOUR_MS)), days: days.flatMap(before(DAY_MS)) }
      })
      yield* lockStates(portion.map(({ num }) => num))
      yield* storeImported(portion, now)
      yield* awaitSent()
      for (const { hours, days } of portion) {
        counts.monitors += hours.length + days.length > 0 ? 1 : 0
        counts.hours += hours.length
        counts.days += days.length
      }
    }
    return counts
  },
})

type GivenPeriod = Static<typeof MonitorHistory>['hours'][number]

interface KnownMonitor {
  readonly num: number
  readonly createdAt: number
}

function* monitorsOf(orgId: string, source: string): DbWork<ReadonlyMap<string, KnownMonitor>> {
  const rows = yield* execute(monitorsOfSource(orgId, source).select(['i.key', 'm.num', 'm.created_at as createdAt']))
  return new Map(rows.map(({ key, ...monitor }) => [key, monitor]))
}

function* lockStates(nums: readonly number[]): DbWork<void> {
  yield* execute(q.selectFrom('monitor_states').select('num').where('num', 'in', nums).orderBy('num').forUpdate())
}

function faultsOf(
  monitors: Static<typeof ImportHistory>['monitors'],
  known: ReadonlyMap<string, KnownMonitor>,
): Fault[] {
  const seen = new Set<string>()
  return monitors.flatMap(({ key, hours, days }, i) => {
    const path = `monitors.${i}`
    const faults: Fault[] = []
    if (!known.has(key)) faults.push({ path: `${path}.key`, message: 'is not a monitor of the source' })
    if (seen.has(key)) faults.push({ path: `${path}.key`, message: 'is a duplicate' })
    seen.add(key)
    return [
      ...faults,
      ...periodFaults(hours, HOUR_MS, `${path}.hours`, 'an hour'),
      ...periodFaults(days, DAY_MS, `${path}.days`, 'a day'),
    ]
  })
}

function periodFaults(given: readonly GivenPeriod[], unitMs: number, path: string, noun: string): Fault[] {
  const starts = new Set<number | null | undefined>()
  return given.flatMap((values, i) => {
    const at = `${path}.${i}`
    if (values.slice(0, 6).some((value) => value === null))
      return [{ path: at, message: 'may have null only at the end' }]
    const [start = 0] = values as number[]
    const isRepeated = starts.has(start)
    starts.add(start)
    if (isRepeated) return [{ path: at, message: 'is a duplicate' }]
    return (start * SECOND_MS) % unitMs === 0
      ? []
      : [{ path: at, message: `must begin with the start of ${noun} in UTC` }]
  })
}

/** The part of an hour or day before the monitor was created: from then on, its own checks count. Empty if there is none. */
function periodBefore(createdAt: number, unitMs: number, given: GivenPeriod): ClosedHour[] {
  const [start, up, down, maintenance, checks, failures, averageMs] = given as readonly number[] as GivenNumbers
  const hourStart = start * SECOND_MS
  const roomMs = Math.min(unitMs, createdAt - hourStart)
  const givenMs = (up + down + maintenance) * SECOND_MS
  if (roomMs <= 0 || givenMs + checks === 0) return []
  const share = givenMs > roomMs ? roomMs / givenMs : 1
  const ms = (seconds: number) => Math.floor(seconds * SECOND_MS * share)
  const [total, failed] = [Math.round(checks), Math.min(Math.round(checks), Math.round(failures))]
  const totals = {
    ...emptyTotals,
    upMs: ms(up),
    downMs: ms(down),
    maintenanceMs: ms(maintenance),
    checks: total,
    failures: failed,
    responses: averageMs === null ? [] : histogramOf(averageMs, total - failed),
  }
  return [{ hourStart, totals }]
}

type GivenNumbers = readonly [number, number, number, number, number, number, number | null]
