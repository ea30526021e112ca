import Type from 'typebox'
import { notFound } from '../../contract/errors.ts'
import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { PageParams } from './list.ts'
import { requirePage, subscriberOf, unsubscribe } from './queries.ts'

export const deleteSubscriber = operation({
  id: 'deleteSubscriber',
  extension: true,
  method: 'DELETE',
  path: '/status-pages/:statusPageId/subscribers/:subscriberId',
  access: 'write',
  tag: 'Status pages',
  summary: 'Remove a subscriber of a status page',
  description: 'Deletes the address without notifying it. It can subscribe again.',
  params: Type.Object({ ...PageParams.properties, subscriberId: Type.String({ minLength: 1 }) }),
  answer: { status: 200, schema: Deleted, description: 'The subscriber was removed' },
  errors: ['not_found'],
  *handle({ caller: { orgId } }, { params: { statusPageId: pageId, subscriberId: id } }) {
    yield* requirePage(orgId, pageId)
    const subscriber = yield* subscriberOf(orgId, id)
    if (subscriber?.page_id !== pageId) throw notFound('subscriber')
    yield* unsubscribe(orgId, id)
    return { data: { id } }
  },
})
