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

/** Larger numbers are damage. */
const [MAX_CHECKS, MAX_PING_MS, MAX_TIME] = [1_000_000, DAY_MS, 253_402_300_799]

/**
 * Reads the history of all monitors: Kuma 2 has counted its beats by hour and day, of Kuma 1 all beats are read. A row that cannot be
 * read is counted and left out.
 */
export function* readKumaHistory(connection: DatabaseSync, now: number): Generator<ReadProgress, KumaHistory> {
  const tables = connection.prepare("select name from sqlite_master where type = 'table'").all()
  const hasStats = tables.some(({ name }) => name === 'stat_daily')
  return yield* hasStats ? readStats(connection, now) : readBeats(connection, now)
}

/** The rows of a table in order of their ids. Of a damaged file, those that can be read. */
function* intactRows(connection: DatabaseSync, table: string, columns: string): Generator<readonly unknown[]> {
  const rows = connection.prepare(`select id, ${columns} from ${table} where id > ? order by id`)
  rows.setReturnArrays(true)
  let last = 0
  for (let skipped = 1; Number.isSafeInteger(last + skipped); skipped *= 2) {
    try {
      for (const row of rows.iterate(last) as Iterable<unknown>) {
        const [id] = row as [number]
        last = id
        skipped = 1
        yield row as readonly unknown[]
      }
      return
    } catch {
      // How many rows a damaged page has is not known.
      last += skipped
    }
  }
}

function countRows(connection: DatabaseSync, table: string): number {
  try {
    return Number(connection.prepare(`select count(*) as count from ${table}`).get()?.count)
  } catch {
    // The table is damaged.
    return 0
  }
}

function isWithin(value: unknown, maximum: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= maximum
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
function* readBeats(connection: DatabaseSync, now: number): Generator<ReadProgress, KumaHistory> {
  const total = countRows(connection, 'heartbeat')
  const timeOf = createTimeReader()
  const hoursFrom = startOf(newestBeat(connection, timeOf, now / SECOND_MS), HOUR) - HOURS_KEPT * HOUR
  const monitors = new Map<number, Collected>()
  let [seen, read] = [0, 0]
  for (const row of intactRows(connection, 'heartbeat', 'monitor_id, status, time, ping, duration')) {
    seen += 1
    if (seen % ROWS_AT_ONCE === 0) yield { read: seen, total }
    const [, id, status, time, ping, duration] = row
    const at = typeof time === 'string' ? timeOf(time) : undefined
    const isValid = Number.isSafeInteger(id) && (ping === null || isWithin(ping, MAX_PING_MS))
    if (!isValid || at === undefined || typeof duration !== 'number') continue
    read += 1
    addBeat(collectedOf(monitors, Number(id)), { at, status, ping: ping as number | null, duration }, hoursFrom)
  }
  yield { read: seen, total }
  return { monitors: mapped(monitors), read, unreadable: Math.max(seen, total) - read }
}

/** When the last beat was. The times of some beats may be damaged. */
function newestBeat(connection: DatabaseSync, timeOf: (text: string) => number | undefined, now: number): number {
  try {
    const rows = connection.prepare('select cast(time as text) as time from heartbeat order by id desc limit 100').all()
    return rows.map(({ time }) => timeOf(String(time))).find((at) => at !== undefined && at <= now) ?? now
  } catch {
    return now
  }
}

interface Beat {
  /** Seconds since 1970. */
  readonly at: number
  readonly status: unknown
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
function addTime(totals: Totals, status: unknown, seconds: number): void {
  if (status === UP) totals.up += seconds
  else if (status === MAINTENANCE) totals.maintenance += seconds
  else totals.down += seconds
}

function addCheck(totals: Totals, status: unknown, ping: number | null): void {
  totals.checks += 1
  if (status !== UP && status !== MAINTENANCE) totals.failures += 1
  if (status === UP && ping !== null) {
    totals.pingSum += ping
    totals.pings += 1
  }
}

/** Seconds since 1970 of `2026-11-16 01:46:01.850`; undefined if it is no time. Beats are in order of time, so that most are in an hour that was seen before. */
function createTimeReader(): (text: string) => number | undefined {
  let [hourText, hour] = ['', 0]
  return (text) => {
    const given = text.slice(0, 13)
    if (given !== hourText) {
      const parsed = Date.parse(`${given.replace(' ', 'T')}:00:00Z`) / SECOND_MS
      if (Number.isNaN(parsed)) return undefined
      ;[hourText, hour] = [given, parsed]
    }
    const at = hour + Number(text.slice(14, 16)) * 60 + Number(text.slice(17, 19))
    return isWithin(at, MAX_TIME) ? at : undefined
  }
}

/** Of the time that a bucket of Kuma 2 lasts, as much as its beats and the interval explain. Beats are a little late, so most is all. */
const ENOUGH = 0.9
/** Seconds between the beats of a monitor that was deleted. */
const DEFAULT_INTERVAL = 60

function* readStats(connection: DatabaseSync, now: number): Generator<ReadProgress, KumaHistory> {
  const intervals = new Map(
    intactRows(connection, 'monitor', 'interval').map(([id, interval]) => [Number(id), intervalOf(interval)]),
  )
  const columns = 'monitor_id, timestamp, ping, up, down, extras'
  const hoursFrom = hoursFromNewest(
    intactRows(connection, 'stat_hourly', 'timestamp').map(([, at]) => at),
    now,
  )
  const total = countRows(connection, 'stat_daily') + countRows(connection, 'stat_hourly')
  const monitors = new Map<number, Collected>()
  let [seen, read] = [0, 0]
  for (const [table, unit] of [
    ['stat_daily', DAY],
    ['stat_hourly', HOUR],
  ] as const) {
    for (const [, id, at, ping, up, down, extras] of intactRows(connection, table, columns)) {
      seen += 1
      if (seen % ROWS_AT_ONCE === 0) yield { read: seen, total }
      const stat = { id, at, ping: ping ?? 0, up, down, extras }
      if (!isStat(stat)) continue
      read += 1
      if (unit === HOUR && stat.at < hoursFrom) continue
      const { hours, days } = collectedOf(monitors, stat.id)
      addStat(unit === DAY ? days : hours, stat, unit, intervals.get(stat.id) ?? DEFAULT_INTERVAL)
    }
  }
  yield { read: seen, total }
  return { monitors: mapped(monitors), read, unreadable: Math.max(seen, total) - read }
}

/** The history in a dump of a Kuma 2. It is read twice, because the newest hour is known only at its end. */
export function readDumpHistory(path: string, now: number): KumaHistory {
  const intervals = new Map<number, number>()
  const hours: unknown[] = []
  scanDump(path, ['monitor', 'stat_hourly'], (table, row) => {
    if (table === 'monitor') intervals.set(Number(row.id), intervalOf(Number(row.interval)))
    else hours.push(Number(row.timestamp))
  })
  const hoursFrom = hoursFromNewest(hours, now)
  const monitors = new Map<number, Collected>()
  let [seen, read] = [0, 0]
  scanDump(path, ['stat_daily', 'stat_hourly'], (table, { monitor_id, timestamp, extras, ...row }) => {
    seen += 1
    const [ping, up, down] = [Number(row.ping), Number(row.up), Number(row.down)]
    const stat = { id: Number(monitor_id), at: Number(timestamp), ping, up, down, extras }
    if (!isStat(stat)) return
    read += 1
    const isDay = table === 'stat_daily'
    if (!isDay && stat.at < hoursFrom) return
    const { hours, days } = collectedOf(monitors, stat.id)
    addStat(isDay ? days : hours, stat, isDay ? DAY : HOUR, intervals.get(stat.id) ?? DEFAULT_INTERVAL)
  })
  return { monitors: mapped(monitors), read, unreadable: seen - read }
}

/** The first hour that is imported. A damaged time may be in the future. */
function hoursFromNewest(times: Iterable<unknown>, now: number): number {
  let newest = 0
  for (const at of times) if (isWithin(at, now / SECOND_MS)) newest = Math.max(newest, at)
  return newest - HOURS_KEPT * HOUR
}

function intervalOf(value: unknown): number {
  return isWithin(value, MAX_DAYS * DAY) ? value : DEFAULT_INTERVAL
}

interface Stat {
  readonly id: number
  readonly at: number
  readonly ping: number
  readonly up: number
  readonly down: number
  readonly extras: unknown
}

function isStat(row: Readonly<Record<keyof Stat, unknown>>): row is Stat {
  const { id, at, ping, up, down } = row
  return (
    Number.isSafeInteger(id) && isWithin(at, MAX_TIME) && isWithin(ping, MAX_PING_MS) && isCount(up) && isCount(down)
  )
}

function isCount(value: unknown): value is number {
  return isWithin(value, MAX_CHECKS)
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

function maintenanceIn(extras: unknown): number {
  try {
    const { maintenance } = JSON.parse(String(extras ?? '{}'))
    return isCount(maintenance) ? maintenance : 0
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
