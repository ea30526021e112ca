import { sql } from 'kysely'
import { shortenUrl } from '../../lib/mask.ts'
import type { Sealer } from '../../lib/seal.ts'
import { openUrl } from '../../notifications/webhooks/secret.ts'
import { type DbWork, first, q, type Statement, statement } from '../../storage/query.ts'

interface Key {
  orgId: string
  id: string
}

type Named = Statement<Key, { readonly name: string | null }>

type NamedTable =
  | ('monitors' | 'status_pages' | 'maintenance_windows' | 'contacts' | 'api_keys')
  | ('published_incidents' | 'webhook_deliveries' | 'invitations')

function named(table: NamedTable, column = 'name'): Named {
  const name = sql<string | null>`${sql.ref(column)}`.as('name')
  return statement(({ orgId, id }: Key) =>
    q.selectFrom(table).select(name).where('org_id', '=', orgId).where('id', '=', id),
  )
}

const incidents = () => q.selectFrom('incidents as i').innerJoin('monitors as m', 'm.num', 'i.num').select('m.name')

/** What a resource is called, by the prefix of its id. An incident and its notes are called like the monitor. */
const nameQueries: Readonly<Record<string, Named>> = {
  mon: named('monitors'),
  page: named('status_pages'),
  mw: named('maintenance_windows'),
  con: named('contacts'),
  key: named('api_keys'),
  inc: statement(({ orgId, id }: Key) => incidents().where('i.org_id', '=', orgId).where('i.id', '=', id)),
  note: statement(({ orgId, id }: Key) =>
    incidents()
      .innerJoin('incident_notes as n', (on) =>
        on.onRef('n.org_id', '=', 'i.org_id').onRef('n.incident_id', '=', 'i.id'),
      )
      .where('n.org_id', '=', orgId)
      .where('n.id', '=', id),
  ),
  sinc: named('published_incidents', 'title'),
  dlv: named('webhook_deliveries', 'event_type'),
  inv: named('invitations', 'email'),
  usr: statement(({ orgId, id }: Key) =>
    q
      .selectFrom('users as u')
      .innerJoin('members as m', 'm.user_id', 'u.id')
      .select('u.name')
      .where('m.org_id', '=', orgId)
      .where('u.id', '=', id),
  ),
}

const endpoint = statement(({ orgId, id }: Key) =>
  q.selectFrom('webhook_endpoints').select(['description', 'url']).where('org_id', '=', orgId).where('id', '=', id),
)

/** The name of a resource at this time; null if it has none. */
export function* nameOf(orgId: string, id: string, sealer: Sealer): DbWork<string | null> {
  const prefix = id.slice(0, id.indexOf('_'))
  if (prefix === 'we') {
    const found = yield* first(endpoint, { orgId, id })
    return found === undefined ? null : found.description || shortenUrl(openUrl(sealer, orgId, id, found.url))
  }
  const query = nameQueries[prefix]
  return query === undefined ? null : ((yield* first(query, { orgId, id }))?.name ?? null)
}
