import { sql } from 'kysely'
import Type, { type Static } from 'typebox'
import { operation } from '../../contract/operation.ts'
import { nullable, oneOf, page, pageQuery, resource, Timestamp } from '../../contract/schema.ts'
import { likeText } from '../../lib/text.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import { execute, q } from '../../storage/query.ts'
import { subscriberKinds } from '../../storage/schema/subscribers.ts'
import { requirePage, type SubscriberRow } from './queries.ts'

const states = ['PENDING', 'CONFIRMED', 'DISABLED'] as const

const Subscriber = resource('Subscriber', {
  id: Type.String({ minLength: 1 }),
  kind: oneOf(subscriberKinds),
  address: Type.String({ description: 'The e-mail address, or the host and last characters of the URL' }),
  state: oneOf(states, { description: 'DISABLED: the mail server rejected the address three times in a row' }),
  failingSince: nullable(Timestamp, { description: 'Since when messages to a webhook or Slack channel fail' }),
  lastError: nullable(Type.String()),
  createdAt: Timestamp,
  confirmedAt: nullable(Timestamp),
})

const SubscriberCount = resource('SubscriberCount', {
  kind: oneOf(subscriberKinds),
  state: oneOf(states),
  total: Type.Integer(),
})

export const PageParams = Type.Object({ statusPageId: Type.String({ minLength: 1 }) })

const list = page('SubscriberPage', Subscriber)

export const listSubscribers = operation({
  id: 'listSubscribers',
  extension: true,
  method: 'GET',
  path: '/status-pages/:statusPageId/subscribers',
  access: 'read',
  tag: 'Status pages',
  summary: 'List the subscribers of a status page',
  description: 'Newest first. `counts` covers all subscribers of the page, independent of the filter.',
  params: PageParams,
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Part of the address' })),
    kind: Type.Optional(oneOf(subscriberKinds)),
    state: Type.Optional(oneOf(states)),
  }),
  answer: {
    status: 200,
    schema: resource('SubscriberList', { ...list.properties, counts: Type.Array(SubscriberCount) }),
    description: 'A page of subscribers',
  },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params, query: { limit, offset, q: search, kind, state } }) {
    const { statusPageId: pageId } = params
    yield* requirePage(orgId, pageId)
    const ofPage = q.selectFrom('subscribers').where('org_id', '=', orgId).where('page_id', '=', pageId)
    let matching = ofPage
    if (kind !== undefined) matching = matching.where('kind', '=', kind)
    if (state !== undefined) matching = matching.where('state', '=', state)
    if (search !== undefined) {
      const pattern = `%${likeText(search.toLowerCase())}%`
      matching = matching.where(sql<boolean>`lower(coalesce(label, address)) like ${pattern} escape '\\'`)
    }
    const [count] = yield* execute(matching.select(sql<number>`count(*)`.as('total')))
    const rows = yield* execute(matching.selectAll().orderBy('num', 'desc').limit(limit).offset(offset))
    const counts = ofPage.select(['kind', 'state', (is) => is.fn.countAll<number>().as('total')])
    return {
      data: rows.map(renderSubscriber),
      pagination: { limit, offset, total: count?.total ?? 0 },
      counts: [...(yield* execute(counts.groupBy(['kind', 'state']).orderBy('kind').orderBy('state')))],
    }
  },
})

function renderSubscriber(row: SubscriberRow): Static<typeof Subscriber> {
  return {
    id: row.id,
    kind: row.kind,
    address: row.label ?? row.address,
    state: row.state,
    failingSince: isoTimestampOrNull(row.failing_since),
    lastError: row.last_error,
    createdAt: isoTimestamp(row.created_at),
    confirmedAt: isoTimestampOrNull(row.confirmed_at),
  }
}
