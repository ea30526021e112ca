import type { DbWork } from '../../../storage/query.ts'
import { translatorFor } from '../languages/translator.ts'
import { earliestIncidentAt, incidentsStarted, MAX_INCIDENTS } from '../queries/incidents.ts'
import type { StoredPage } from '../queries/pages.ts'
import { type IncidentView, incidentViews } from './incident-views.ts'
import { displayNamesOn, type PageInfo, pageInfoOf, pageKeyOf } from './page-info.ts'

export interface HistoryView {
  readonly page: PageInfo
  readonly at: number
  /** YYYY-MM. */
  readonly month: string
  /** The months before and after; null outside the range that has content. */
  readonly earlier: string | null
  readonly later: string | null
  /** Latest first. */
  readonly incidents: readonly IncidentView[]
  readonly hasMore: boolean
}

/** The incidents of a month, the current one by default; undefined for months before the first incident or in the future. */
export function* historyView(
  row: StoredPage,
  baseUrl: string,
  month: string | undefined,
  now: number,
): DbWork<HistoryView | undefined> {
  const page = pageInfoOf(row, baseUrl)
  const pageKey = pageKeyOf(row)
  const monthAt = (at: number): string => translatorFor(page.locale, page.timezone).dateOf(at).slice(0, 7)
  const first = monthAt(Math.min(row.created_at, (yield* earliestIncidentAt(pageKey)) ?? row.created_at))
  const current = monthAt(now)
  const selected = month ?? current
  if (selected < first || selected > current) return undefined
  const found = yield* incidentsStarted(
    pageKey,
    startOfMonth(selected, page.timezone),
    startOfMonth(addMonths(selected, 1), page.timezone),
  )
  const names = yield* displayNamesOn(row)
  return {
    page,
    at: now,
    month: selected,
    earlier: selected > first ? addMonths(selected, -1) : null,
    later: selected < current ? addMonths(selected, 1) : null,
    incidents: yield* incidentViews(pageKey.orgId, found.slice(0, MAX_INCIDENTS), names, 1),
    hasMore: found.length > MAX_INCIDENTS,
  }
}

/** Parses the `month` query parameter. */
export function parseMonth(text: string): string | undefined {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? text : undefined
}

function addMonths(month: string, count: number): string {
  return Temporal.PlainYearMonth.from(month).add({ months: count }).toString()
}

/** The start of a month in the time zone of the page. */
export function startOfMonth(month: string, zone: string): number {
  return Temporal.PlainYearMonth.from(month).toPlainDate({ day: 1 }).toZonedDateTime(zone).epochMilliseconds
}
