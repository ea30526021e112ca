import type { DbWork } from '../../../storage/query.ts'
import { incidentOf } from '../queries/incidents.ts'
import type { StoredPage } from '../queries/pages.ts'
import { type IncidentView, incidentViews } from './incident-views.ts'
import { displayNamesOn, type PageInfo, pageInfoOf, pageKeyOf } from './page-info.ts'

export interface IncidentPageView {
  readonly page: PageInfo
  readonly at: number
  readonly incident: IncidentView
}

/** The API accepts no more updates than this (see published-incidents/post-update.ts). */
const MAX_UPDATES = 200

/** A published incident with all its updates; undefined if it is not on this page. */
export function* incidentPageView(
  row: StoredPage,
  baseUrl: string,
  id: string,
  now: number,
): DbWork<IncidentPageView | undefined> {
  const pageKey = pageKeyOf(row)
  const found = yield* incidentOf(pageKey, id)
  if (found === undefined) return undefined
  const names = yield* displayNamesOn(row)
  const [incident] = yield* incidentViews(pageKey.orgId, [found], names, MAX_UPDATES)
  return incident && { page: pageInfoOf(row, baseUrl), at: now, incident }
}
