import { sql } from 'kysely'
import type { Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { Json } from '../../lib/json.ts'
import { foldCase, likeText } from '../../lib/text.ts'
import { type ListPage, listPage } from '../../storage/list-index.ts'
import type { DbWork } from '../../storage/query.ts'
import { pagesJson } from './page-json.ts'
import { selectPages } from './queries.ts'
import type { PageRow } from './render.ts'
import { StatusPagePage, StatusPageQuery } from './schema.ts'

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
    const { limit, offset } = query
    const { rows, total } = yield* findPages(orgId, query)
    const data = (yield* pagesJson({ orgId, rules: installation, now }, rows)).map(({ text }) => text)
    const pagination = JSON.stringify({ limit, offset, total })
    return new Json<Static<typeof StatusPagePage>>(`{"data":[${data}],"pagination":${pagination}}`)
  },
})

function findPages(
  orgId: string,
  { limit, offset, published, q: search }: Static<typeof StatusPageQuery>,
): DbWork<ListPage<PageRow>> {
  let matching = selectPages(orgId).orderBy('seq')
  if (published !== undefined) matching = matching.where('published', '=', published ? 1 : 0)
  if (search !== undefined) {
    const pattern = `%${likeText(foldCase(search))}%`
    matching = matching.where(
      sql<boolean>`(folded_name like ${pattern} escape '\\' or slug like ${pattern} escape '\\')`,
    )
  }
  const isWhole = published === undefined && search === undefined
  return listPage(matching, { limit, offset }, isWhole ? { orgId, kind: 'statuspage' } : undefined)
}
