import { DAY_MS } from '../../../lib/clock.ts'
import type { DbWork } from '../../../storage/query.ts'
import type { StatusInput } from '../../status-pages/overall-status.ts'
import { statusInputsOn } from '../../status-pages/status-inputs.ts'
import { incidentsBetween, type Outage, outagesBetween } from '../queries/incidents.ts'
import { monitorsOf } from '../queries/monitors.ts'
import type { StoredPage } from '../queries/pages.ts'
import { type Day, dayAt, dayKinds, firstDayOf } from '../uptime/daily-uptime.ts'
import { dayOfMonitors } from '../uptime/stored-days.ts'
import { type IncidentView, incidentViews } from './incident-views.ts'
import { type MaintenanceView, maintenanceBetween } from './maintenance-views.ts'
import { displayNamesOn, type PageInfo, pageInfoOf, pageKeyOf } from './page-info.ts'
import { liveStateOf } from './page-view.ts'

export interface SystemDay {
  readonly id: string
  readonly name: string
  readonly day: Day
}

/** What happened on one UTC day, on all systems of a page. */
export interface DayView {
  readonly page: PageInfo
  readonly at: number
  readonly startAt: number
  /** The days before and after as YYYY-MM-DD; null outside the days that the page shows. */
  readonly earlier: string | null
  readonly later: string | null
  /** Down first, then degraded, then maintenance, then the others; each by name. */
  readonly systems: readonly SystemDay[]
  readonly outages: readonly (Outage & { readonly name: string })[]
  readonly incidents: readonly IncidentView[]
  readonly maintenance: readonly MaintenanceView[]
}

/** Occurrences of one window on a day. */
const MAX_OCCURRENCES = 10

/** Undefined for a day in the future, or before the days that the page shows. */
export function* dayView(row: StoredPage, baseUrl: string, date: string, now: number): DbWork<DayView | undefined> {
  const page = pageInfoOf(row, baseUrl)
  const pageKey = pageKeyOf(row)
  const startAt = Date.parse(`${date}T00:00:00Z`)
  const firstDayAt = firstDayOf(now, page.historyDays) * DAY_MS
  if (startAt < firstDayAt || startAt > now) return undefined
  const endAt = startAt + DAY_MS
  const rows = yield* monitorsOf(pageKey)
  const inputOf = yield* statusInputsOn(pageKey.orgId, [pageKey.pageId], now)
  const stored = yield* dayOfMonitors(pageKey, startAt)
  const names = yield* displayNamesOn(row, rows)
  const systems = rows.map((monitor) => {
    const input: StatusInput = inputOf(pageKey.pageId, monitor.num, monitor.state)
    const day = dayAt(stored.get(monitor.num), liveStateOf(monitor, input), startAt, now)
    return { num: monitor.num, id: monitor.id, name: names.get(monitor.id) as string, day }
  })
  const nameOf = new Map(systems.map(({ num, name }) => [num, name]))
  const down = systems.filter(({ day }) => day.downMs > 0).map(({ num }) => num)
  const outages = yield* outagesBetween(pageKey.orgId, down, startAt, endAt)
  const published = yield* incidentsBetween(pageKey, startAt, endAt)
  return {
    page,
    at: now,
    startAt,
    earlier: startAt > firstDayAt ? isoDate(startAt - DAY_MS) : null,
    later: endAt <= now ? isoDate(endAt) : null,
    systems: systems.toSorted((a, b) => rank(a.day) - rank(b.day) || a.name.localeCompare(b.name, page.locale)),
    outages: outages.map((outage) => ({ ...outage, name: nameOf.get(outage.num) as string })),
    incidents: yield* incidentViews(pageKey.orgId, published, names, 1),
    maintenance: yield* maintenanceBetween(pageKey, names, { from: startAt, to: endAt, limit: MAX_OCCURRENCES }),
  }
}

const severity: readonly Day['kind'][] = ['down', 'degraded', 'maintenance', ...dayKinds]

function rank({ kind }: Day): number {
  return severity.indexOf(kind)
}

/** YYYY-MM-DD in UTC. */
export function isoDate(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Parses the date of a path. */
export function parseDate(text: string): string | undefined {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
  return isDate && isoDate(Date.parse(`${text}T00:00:00Z`)) === text ? text : undefined
}
