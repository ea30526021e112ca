import type { Static } from 'typebox'
import type { Json } from '../../lib/json.ts'
import type { Work } from '../../storage/query.ts'
import { type PageRow, pageJson } from './render.ts'
import { pageOf } from './rows.ts'
import type { StatusPage } from './schema.ts'
import { overallStatusesOf } from './standing.ts'

interface Where {
  readonly orgId: string
  readonly baseUrl: string
  readonly now: number
}

/** Pages as they leave, with how each stands as a whole. */
export function* shownPages(
  { orgId, baseUrl, now }: Where,
  rows: readonly PageRow[],
): Work<Json<Static<typeof StatusPage>>[]> {
  const overall = yield* overallStatusesOf(
    orgId,
    rows.map(({ id }) => id),
    now,
  )
  return rows.map((row) => pageJson(row, overall(row.id), baseUrl))
}

export function* shownPage(where: Where, id: string): Work<Json<Static<typeof StatusPage>>> {
  const [page] = yield* shownPages(where, [yield* pageOf(where.orgId, id)])
  return page as Json<Static<typeof StatusPage>>
}
