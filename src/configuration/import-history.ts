import Type, { type Static } from 'typebox'
import { type Fault, invalid, joinPath, MAX_DETAILS } from '../contract/errors.ts'
import { DOCUMENT_BODY_BYTES, operation } from '../contract/operation.ts'
import { body, DOCUMENTED, nullable, resource } from '../contract/schema.ts'
import { validator } from '../contract/validate.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../lib/clock.ts'
import { parseStored } from '../lib/json.ts'
import { histogramOf } from '../monitoring/monitor-states/histogram.ts'
import { type ClosedHour, emptyTotals } from '../monitoring/monitor-states/ledger.ts'
import { storeImported } from '../monitoring/monitor-states/rollups.ts'
import { commitPortion, type DbWork, execute, q } from '../storage/query.ts'
import { KEY_PATTERN } from './document.ts'
import { monitorsOfSource } from './items.ts'
import { type HistoryPiece, historyLimits, readHistoryBody, type SplitHistories } from './read-history-body.ts'

/** A period has seven numbers. Times are seconds, so this is far in the future. */
const MAX_NUMBER = 1e11

const period = Type.Array(nullable(Type.Number({ minimum: 0, maximum: MAX_NUMBER })), { minItems: 7, maxItems: 7 })

const periods = (unit: string, maxItems: number) =>
  Type.Array(period, {
    maxItems,
    description:
      `One list per ${unit}: its start in seconds since 1970, seconds up, seconds down, seconds of maintenance, checks, failed checks, ` +
      'average response time in ms or null',
  })

const MonitorHistory = Type.Object(
  {
    key: Type.String({ pattern: KEY_PATTERN, description: 'The key of the monitor in the document' }),
    hours: periods('UTC hour', historyLimits.hours),
    days: periods('UTC day', historyLimits.days),
  },
  { additionalProperties: false },
)

const MonitorHistories = Type.Array(MonitorHistory, {
  maxItems: historyLimits.monitors,
  description: 'Each monitor at most once',
})

const ImportHistory = body('ImportHistory', {
  source: Type.String({ pattern: KEY_PATTERN, description: 'The source of the document that manages the monitors' }),
  monitors: Type.Unsafe<SplitHistories>({ type: 'object', [DOCUMENTED]: MonitorHistories }),
})

const checkMonitors = validator(MonitorHistories, 'monitors')
const checkPeriods = validator(Type.Array(period), '')

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
  document: readHistoryBody,
  answer: {
    status: 200,
    schema: resource('ImportedHistory', {
      monitors: Type.Integer({ description: 'Monitors that got history' }),
      hours: Type.Integer({ description: 'Hours that were imported' }),
      days: Type.Integer({ description: 'Days that were imported' }),
    }),
    description: 'What was imported',
  },
  *handle({ caller: { orgId }, now }, { body: { source, monitors: split } }) {
    const known = yield* monitorsOf(orgId, source)
    const { monitors, faults } = readMonitors(split, known)
    const periodFaults = new PeriodFaults()
    for (const piece of split.pieces) {
      periodFaults.add(piece)
      if (periodFaults.isFull) break
      yield* commitPortion()
    }
    const all = [...faults, ...periodFaults.found]
    if (all.length > 0) throw invalid(all)
    const counts = { monitors: 0, hours: 0, days: 0 }
    const found = new Set<number>()
    for (const piece of split.pieces) {
      const { num, createdAt } = monitors[piece.monitor] as KnownMonitor
      const unitMs = UNIT_MS[piece.unit]
      const periods = givenIn(piece).flatMap((given) => periodBefore(createdAt, unitMs, given))
      if (periods.length > 0) found.add(num)
      counts[piece.unit] += periods.length
      // A monitor may have been deleted since the last portion.
      if (!(yield* lockState(num))) continue
      yield* storeImported([{ orgId, num, hours: [], days: [], [piece.unit]: periods }], now)
      yield* commitPortion()
    }
    return { ...counts, monitors: found.size }
  },
})

const UNIT_MS = { hours: HOUR_MS, days: DAY_MS } as const

type GivenPeriod = Static<typeof period>

function givenIn({ json }: HistoryPiece): readonly GivenPeriod[] {
  return parseStored(json)
}

interface KnownMonitor {
  readonly num: number
  readonly createdAt: number
}

function* monitorsOf(orgId: string, source: string): DbWork<ReadonlyMap<string, KnownMonitor>> {
  const rows = yield* execute(monitorsOfSource(orgId, source).select(['i.key', 'm.num', 'm.created_at as createdAt']))
  return new Map(rows.map(({ key, ...monitor }) => [key, monitor]))
}

function* lockState(num: number): DbWork<boolean> {
  const rows = yield* execute(q.selectFrom('monitor_states').select('num').where('num', '=', num).forUpdate())
  return rows.length > 0
}

/** The monitors in the order of the body. Throws if it is not a list of histories. */
function readMonitors(
  { monitors }: SplitHistories,
  known: ReadonlyMap<string, KnownMonitor>,
): { readonly monitors: readonly (KnownMonitor | undefined)[]; readonly faults: readonly Fault[] } {
  const verdict = checkMonitors(monitors)
  if ('faults' in verdict) {
    throw invalid(verdict.faults.map(({ path, message }) => ({ path: joinPath('monitors', path), message })))
  }
  const seen = new Set<string>()
  const faults = verdict.value.flatMap(({ key }, i): Fault[] => {
    const path = `monitors.${i}.key`
    const isRepeated = seen.has(key)
    seen.add(key)
    return [
      ...(known.has(key) ? [] : [{ path, message: 'is not a monitor of the source' }]),
      ...(isRepeated ? [{ path, message: 'is a duplicate' }] : []),
    ]
  })
  return { monitors: verdict.value.map(({ key }) => known.get(key)), faults }
}

/** What is wrong with hours and days. Pieces come in order. */
class PeriodFaults {
  readonly found: Fault[] = []
  #list = ''
  #starts = new Set<number>()

  get isFull(): boolean {
    return this.found.length > MAX_DETAILS
  }

  add(piece: HistoryPiece): void {
    const list = `monitors.${piece.monitor}.${piece.unit}`
    if (list !== this.#list) this.#starts = new Set()
    this.#list = list
    const given = givenIn(piece)
    const verdict = checkPeriods(given)
    if ('faults' in verdict) {
      for (const { path, message } of verdict.faults) {
        const [at = '', ...inner] = path.split('.')
        this.found.push({ path: [list, Number(at) + piece.from, ...inner].join('.'), message })
      }
      return
    }
    for (const [i, values] of given.entries()) {
      const message = this.#fault(values, UNIT_MS[piece.unit])
      if (message !== undefined) this.found.push({ path: `${list}.${piece.from + i}`, message })
    }
  }

  #fault(values: GivenPeriod, unitMs: number): string | undefined {
    if (values.slice(0, 6).some((value) => value === null)) return 'may have null only at the end'
    const [start = 0] = values as readonly number[]
    if (this.#starts.has(start)) return 'is a duplicate'
    this.#starts.add(start)
    const noun = unitMs === HOUR_MS ? 'an hour' : 'a day'
    return (start * SECOND_MS) % unitMs === 0 ? undefined : `must begin with the start of ${noun} in UTC`
  }
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
