import type { DbWork } from '../../../storage/query.ts'
import { type MonitorDates, monitorDatesOf } from '../queries/monitors.ts'
import type { StoredPage } from '../queries/pages.ts'
import { pageKeyOf } from './page-info.ts'
import { type PageView, pageView } from './page-view.ts'

/** The page view with the additional data of the JSON summary. */
export interface SummaryView {
  readonly view: PageView
  /** When the settings of the page last changed. */
  readonly editedAt: number
  readonly monitorDates: ReadonlyMap<string, MonitorDates>
}

export function* summaryView(row: StoredPage, baseUrl: string, now: number): DbWork<SummaryView> {
  const view = yield* pageView(row, baseUrl, now)
  return { view, editedAt: row.updated_at, monitorDates: yield* monitorDatesOf(pageKeyOf(row)) }
}
