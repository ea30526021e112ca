import { sql } from 'kysely'
import type { Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { Json } from '../../lib/json.ts'
import { countInList, seekInList } from '../../storage/list-index.ts'
import { type DbWork, execute } from '../../storage/query.ts'
import { pagesJson } from './page-json.ts'
import { selectPages } from './queries.ts'
import { foldCase, type PageRow } from './render.ts'
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
  *handle({ caller: { orgId }, now, installation }, { query }) {
    const { limit, offset, published, q: search } = query
    const isFiltered = published !== undefined || search !== undefined
    const { rows, total } = isFiltered ? yield* listFiltered(orgId, query) : yield* listAll(orgId, query)
    const data = (yield* pagesJson({ orgId, rules: installation, now }, rows)).map(({ text }) => text)
    const pagination = JSON.stringify({ limit, offset, total })
    return new Json<Static<typeof StatusPagePage>>(`{"data":[${data}],"pagination":${pagination}}`)
  },
})

interface ListResult {
  readonly rows: readonly PageRow[]
  readonly total: number
}

function* listAll(orgId: string, { limit, offset }: Query): DbWork<ListResult> {
  const total = yield* countInList(orgId, 'statuspage')
  if (offset >= total) return { rows: [], total }
  const { fromSeq, skip } = yield* seekInList(orgId, 'statuspage', offset)
  return {
    rows: yield* execute(selectPages(orgId).where('seq', '>=', fromSeq).orderBy('seq').limit(limit).offset(skip)),
    total,
  }
}

function* listFiltered(orgId: string, { limit, offset, published, q: search }: Query): DbWork<ListResult> {
  let matching = selectPages(orgId)
  if (published !== undefined) matching = matching.where('published', '=', published ? 1 : 0)
  if (search !== undefined) {
    const pattern = `%${foldCase(search).replace(/[\\%_]/g, '\\$&')}%`
    matching = matching.where(
      sql<boolean>`(folded_name like ${pattern} escape '\\' or slug like ${pattern} escape '\\')`,
    )
  }
  const [count] = yield* execute(matching.clearSelect().select(sql<number>`count(*)`.as('total')))
  const rows = yield* execute(matching.orderBy('seq').limit(limit).offset(offset))
  return { rows, total: count?.total ?? 0 }
}
