import { sql } from 'kysely'
import type { Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { Json } from '../../lib/json.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import { countInList, seekInList } from '../../storage/roster.ts'
import { shownPages } from './page-json.ts'
import { pagesOf } from './queries.ts'
import { folded, type PageRow } from './render.ts'
import { StatusPagePage, StatusPageQuery } from './schema.ts'

type Query = Static<typeof StatusPageQuery>

export const listStatusPages = operation({
  id: 'listStatusPages',
  method: 'GET',
  path: '/status-pages',
  access: 'read',
  tag: 'Status pages',
  summary: 'List status pages',
  description: 'In order of creation.',
  query: StatusPageQuery,
  answer: { status: 200, schema: StatusPagePage, description: 'A page of status pages' },
  *handle({ caller: { orgId }, now, installation: { baseUrl } }, { query }) {
    const { limit, offset, published, q: words } = query
    const isFiltered = published !== undefined || words !== undefined
    const { rows, total } = isFiltered ? yield* filtered(orgId, query) : yield* inOrder(orgId, query)
    const data = (yield* shownPages({ orgId, baseUrl, now }, rows)).map(({ text }) => text)
    const pagination = JSON.stringify({ limit, offset, total })
    return new Json<Static<typeof StatusPagePage>>(`{"data":[${data}],"pagination":${pagination}}`)
  },
})

interface Found {
  readonly rows: readonly PageRow[]
  readonly total: number
}

function* inOrder(orgId: string, { limit, offset }: Query): DbWork<Found> {
  const total = yield* countInList(orgId, 'statuspage')
  if (offset >= total) return { rows: [], total }
  const { fromSeq, skip } = yield* seekInList(orgId, 'statuspage', offset)
  return {
    rows: yield* execute(pagesOf(orgId).where('seq', '>=', fromSeq).orderBy('seq').limit(limit).offset(skip)),
    total,
  }
}

function* filtered(orgId: string, { limit, offset, published, q: words }: Query): DbWork<Found> {
  let matching = pagesOf(orgId)
  if (published !== undefined) matching = matching.where('published', '=', published ? 1 : 0)
  if (words !== undefined) {
    const anywhere = `%${folded(words).replace(/[\\%_]/g, '\\$&')}%`
    matching = matching.where(
      sql<boolean>`(folded_name like ${anywhere} escape '\\' or slug like ${anywhere} escape '\\')`,
    )
  }
  const [count] = yield* execute(matching.clearSelect().select(sql<number>`count(*)`.as('total')))
  const rows = yield* execute(matching.orderBy('seq').limit(limit).offset(offset))
  return { rows, total: count?.total ?? 0 }
}
