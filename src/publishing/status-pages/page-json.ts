import type { Static } from 'typebox'
import type { Json } from '../../lib/json.ts'
import type { DbWork } from '../../storage/query.ts'
import { pageOf } from './queries.ts'
import { type PageRow, pageJson } from './render.ts'
import type { StatusPage } from './schema.ts'
import { overallStatusesOf } from './status-inputs.ts'

interface Where {
  readonly orgId: string
  readonly baseUrl: string
  readonly now: number
}

/** Pages as they leave, with how each stands as a whole. */
export function* shownPages(
  { orgId, baseUrl, now }: Where,
  rows: readonly PageRow[],
): DbWork<Json<Static<typeof StatusPage>>[]> {
  const overall = yield* overallStatusesOf(
    orgId,
    rows.map(({ id }) => id),
    now,
  )
  return rows.map((row) => pageJson(row, overall(row.id), baseUrl))
}

export function* shownPage(where: Where, id: string): DbWork<Json<Static<typeof StatusPage>>> {
  const [page] = yield* shownPages(where, [yield* pageOf(where.orgId, id)])
  return page as Json<Static<typeof StatusPage>>
}
