import type { DatabaseSync } from 'node:sqlite'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../lib/clock.ts'
import { scanDump } from './read-dump.ts'

/** As `POST /configuration/history` takes it: start, seconds up, down and in maintenance, checks, failed checks, average response time. */
type HistoryPeriod = [number, number, number, number, number, number, number | null]

export interface MonitorHistory {
  readonly hours: readonly HistoryPeriod[]
  readonly days: readonly HistoryPeriod[]
}

export interface ReadProgress {
  /** Rows read so far. */
  readonly read: number
  readonly total: number
}

export interface KumaHistory {
  /** By Kuma's id of the monitor. */
  readonly monitors: ReadonlyMap<number, MonitorHistory>
  readonly read: number
  /** Rows that a damaged file hides. */
  readonly unreadable: number
}

/** Pharos keeps hours for eight days, and uses days for longer spans. */
const HOURS_KEPT = 8 * 24
/** As many as one request may have. More are only there if the clock of Kuma was wrong for a while. */
const MAX_HOURS = 9 * 24
const MAX_DAYS = 3650

/** Rows between two reports of progress. */
const ROWS_AT_ONCE = 100_000

/** Reads the history of all monitors: Kuma 2 has counted its beats by hour and day, of Kuma 1 all beats are read. */
export function* readKumaHistory(connection: DatabaseSync): Generator<ReadProgress, KumaHistory> {
  const tables = connection.prepare("select name from sqlite_master where type = 'table'").all()
  const hasStats = tables.some(({ name }) => name === 'stat_daily')
  return yield* hasStats ? readStats(connection) : readBeats(connection)
}

/** Seconds and checks of an hour or a day. */
class Totals {
  up = 0
  down = 0
  maintenance = 0
  checks = 0
  failures = 0
  pingSum = 0
  pings = 0
}

class Collected {
  readonly hours = new Map<number, Totals>()
  readonly days = new Map<number, Totals>()
}

function totalsAt(periods: Map<number, Totals>, start: number): Totals {
  return periods.getOrInsertComputed(start, () => new Totals())
}

const UP = 1
const MAINTENANCE = 3

const [HOUR, DAY] = [HOUR_MS / SECOND_MS, DAY_MS / SECOND_MS]

/** The beats of Kuma 1. The status of a beat is that of the time since the beat before it, which is its duration. */
function* readBeats(connection: DatabaseSync): Generator<ReadProgress, KumaHistory> {
  const { maximum, total } = connection
    .prepare('select max(id) as maximum, (select count(*) from heartbeat) as total from heartbeat')
    .get() as { maximum: number | null; total: number }
  const last = maximum ?? 0
  const newest = connection.prepare('select time from heartbeat where id = ?').get(last)
  const timeOf = createTimeReader()
  const hoursFrom = startOf(timeOf(String(newest?.time)) ?? 0, HOUR) - HOURS_KEPT * HOUR
  const monitors = new Map<number, Collected>()
  const rows = connection.prepare(
    'select monitor_id, status, time, ping, duration from heartbeat where id > ? and id <= ? order by id',
  )
  rows.setReturnArrays(true)
  let [read, unreadable] = [0, 0]
  for (let from = 0; from < last; from += ROWS_AT_ONCE) {
    const before = read
    try {
      for (const row of rows.iterate(from, from + ROWS_AT_ONCE) as Iterable<unknown>) {
        const [id, status, time, ping, duration] = row as [number, number, string, number | null, number]
        read += 1
        const at = timeOf(time)
        if (at !== undefined) addBeat(collectedOf(monitors, id), { at, status, ping, duration }, hoursFrom)
      }
    } catch {
      unreadable += Math.max(0, Math.min(ROWS_AT_ONCE, last - from) - (read - before))
    }
    yield { read, total }
  }
  return { monitors: mapped(monitors), read, unreadable }
}

interface Beat {
  /** Seconds since 1970. */
  readonly at: number
  readonly status: number
  readonly ping: number | null
  readonly duration: number
}

function addBeat(to: Collected, { at, status, ping, duration }: Beat, hoursFrom: number): void {
  const since = at - Math.min(duration, MAX_DAYS * DAY)
  for (let end = at; end > since; ) {
    const hour = end % HOUR === 0 ? end - HOUR : startOf(end, HOUR)
    const start = Math.max(hour, since)
    const seconds = end - start
    addTime(totalsAt(to.days, startOf(hour, DAY)), status, seconds)
    if (hour >= hoursFrom) addTime(totalsAt(to.hours, hour), status, seconds)
    end = start
  }
  addCheck(totalsAt(to.days, startOf(at, DAY)), status, ping)
  if (at >= hoursFrom) addCheck(totalsAt(to.hours, startOf(at, HOUR)), status, ping)
}

/** A pending beat is a failed try. */
function addTime(totals: Totals, status: number, seconds: number): void {
  if (status === UP) totals.up += seconds
  else if (status === MAINTENANCE) totals.maintenance += seconds
  else totals.down += seconds
}

function addCheck(totals: Totals, status: number, ping: number | null): void {
  totals.checks += 1
  if (status !== UP && status !== MAINTENANCE) totals.failures += 1
  if (status === UP && ping !== null) {
    totals.pingSum += ping
    totals.pings += 1
  }
}

/** Seconds since 1970 of `2026-11-16 01:46:01.850`. Beats are in order of time, so that most are in an hour that was seen before. */
function createTimeReader(): (text: string) => number | undefined {
  let [hourText, hour] = ['', 0]
  return (text) => {
    const given = text.slice(0, 13)
    if (given !== hourText) {
      const parsed = Date.parse(`${given.replace(' ', 'T')}:00:00Z`) / SECOND_MS
      if (Number.isNaN(parsed)) return undefined
      ;[hourText, hour] = [given, parsed]
    }
    return hour + Number(text.slice(14, 16)) * 60 + Number(text.slice(17, 19))
  }
}

/** Of the time that a bucket of Kuma 2 lasts, as much as its beats and the interval explain. Beats are a little late, so most is all. */
const ENOUGH = 0.9
/** Seconds between the beats of a monitor that was deleted. */
const DEFAULT_INTERVAL = 60

function* readStats(connection: DatabaseSync): Generator<ReadProgress, KumaHistory> {
  const monitorRows = connection.prepare('select id, interval from monitor').all()
  const intervals = new Map(monitorRows.map(({ id, interval }) => [Number(id), Number(interval)]))
  const newest = connection.prepare('select max(timestamp) as at from stat_hourly').get()
  const hoursFrom = Number(newest?.at) - HOURS_KEPT * HOUR
  const { total } = connection
    .prepare(
      'select (select count(*) from stat_daily) + (select count(*) from stat_hourly where timestamp >= ?) as total',
    )
    .get(hoursFrom) as { total: number }
  const monitors = new Map<number, Collected>()
  let read = 0
  let unreadable = 0
  for (const [table, unit, from] of [
    ['stat_daily', DAY, 0],
    ['stat_hourly', HOUR, hoursFrom],
  ] as const) {
    const rows = connection.prepare(
      `select monitor_id as id, timestamp as at, ping, up, down, extras from ${table} where timestamp >= ?`,
    )
    try {
      for (const row of rows.iterate(from) as Iterable<unknown>) {
        const stat = row as Stat
        read += 1
        const { hours, days } = collectedOf(monitors, stat.id)
        addStat(unit === DAY ? days : hours, stat, unit, intervals.get(stat.id) ?? DEFAULT_INTERVAL)
        if (read % ROWS_AT_ONCE === 0) yield { read, total }
      }
    } catch {
      unreadable = total - read
    }
  }
  yield { read, total }
  return { monitors: mapped(monitors), read, unreadable }
}

/** The history in a dump of a Kuma 2. It is read twice, because the newest hour is known only at its end. */
export function readDumpHistory(path: string): KumaHistory {
  const intervals = new Map<number, number>()
  let newest = 0
  scanDump(path, ['monitor', 'stat_hourly'], (table, row) => {
    if (table === 'monitor') intervals.set(Number(row.id), Number(row.interval))
    else newest = Math.max(newest, Number(row.timestamp) || 0)
  })
  const hoursFrom = newest - HOURS_KEPT * HOUR
  const monitors = new Map<number, Collected>()
  let read = 0
  scanDump(path, ['stat_daily', 'stat_hourly'], (table, { monitor_id, timestamp, extras, ...row }) => {
    const [id, at] = [Number(monitor_id), Number(timestamp)]
    const [ping, up, down] = [Number(row.ping), Number(row.up), Number(row.down)]
    const isDay = table === 'stat_daily'
    if (Number.isNaN(up + down) || !(at >= (isDay ? 0 : hoursFrom))) return
    read += 1
    const { hours, days } = collectedOf(monitors, id)
    const stat = { id, at, ping, up, down, extras: typeof extras === 'string' ? extras : null }
    addStat(isDay ? days : hours, stat, isDay ? DAY : HOUR, intervals.get(id) ?? DEFAULT_INTERVAL)
  })
  return { monitors: mapped(monitors), read, unreadable: 0 }
}

interface Stat {
  readonly id: number
  readonly at: number
  readonly ping: number
  readonly up: number
  readonly down: number
  readonly extras: string | null
}

function addStat(to: Map<number, Totals>, { at, ping, up, down, extras }: Stat, unit: number, interval: number): void {
  const maintenance = maintenanceIn(extras)
  const beats = up + down + maintenance
  if (beats === 0) return
  const seconds = beats * interval > unit * ENOUGH ? unit : beats * interval
  const totals = totalsAt(to, startOf(at, unit))
  totals.up += (seconds * up) / beats
  totals.down += (seconds * down) / beats
  totals.maintenance += (seconds * maintenance) / beats
  totals.checks += beats
  totals.failures += down
  totals.pingSum += ping * up
  totals.pings += up
}

function maintenanceIn(extras: string | null): number {
  try {
    const { maintenance = 0 } = JSON.parse(extras ?? '{}')
    return Number.isFinite(maintenance) ? maintenance : 0
  } catch {
    return 0
  }
}

function collectedOf(monitors: Map<number, Collected>, id: number): Collected {
  return monitors.getOrInsertComputed(id, () => new Collected())
}

function startOf(at: number, unit: number): number {
  return Math.floor(at / unit) * unit
}

function mapped(monitors: ReadonlyMap<number, Collected>): ReadonlyMap<number, MonitorHistory> {
  return new Map(
    Array.from(monitors, ([id, { hours, days }]) => [
      id,
      { hours: periodsOf(hours, HOUR).slice(-MAX_HOURS), days: periodsOf(days, DAY).slice(-MAX_DAYS) },
    ]),
  )
}

function periodsOf(periods: ReadonlyMap<number, Totals>, unit: number): HistoryPeriod[] {
  return Array.from(periods)
    .sort(([a], [b]) => a - b)
    .map(([start, { up, down, maintenance, checks, failures, pingSum, pings }]) => {
      const total = up + down + maintenance
      const averageMs = pings === 0 ? null : Math.round(pingSum / pings)
      // The first beat of a monitor has no duration. It may be the only one.
      if (total === 0) return [start, failures === 0 ? 1 : 0, failures === 0 ? 0 : 1, 0, checks, failures, averageMs]
      // Of clocks that were set back, beats overlap.
      const share = Math.min(1, unit / total)
      const seconds = (of: number) => Math.round(of * share * 1000) / 1000
      return [start, seconds(up), seconds(down), seconds(maintenance), checks, failures, averageMs]
    })
}
