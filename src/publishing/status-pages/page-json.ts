import type { Static } from 'typebox'
import type { Json } from '../../lib/json.ts'
import type { DbWork } from '../../storage/query.ts'
import type { DomainRules } from '../custom-domains/served.ts'
import { pageOf } from './queries.ts'
import { type PageRow, renderPage } from './render.ts'
import type { StatusPage } from './schema.ts'
import { overallStatusesOf } from './status-inputs.ts'

interface Scope {
  readonly orgId: string
  readonly rules: DomainRules
  readonly now: number
}

/** The API representation of pages, including their overall status. */
export function* pagesJson(
  { orgId, rules, now }: Scope,
  rows: readonly PageRow[],
): DbWork<Json<Static<typeof StatusPage>>[]> {
  const overall = yield* overallStatusesOf(
    orgId,
    rows.map(({ id }) => id),
    now,
  )
  return rows.map((row) => renderPage(row, overall(row.id), rules))
}

export function* pageJson(scope: Scope, id: string): DbWork<Json<Static<typeof StatusPage>>> {
  const [page] = yield* pagesJson(scope, [yield* pageOf(scope.orgId, id)])
  return page as Json<Static<typeof StatusPage>>
}
