import { operation } from '../../contract/operation.ts'
import { Deleted } from '../../contract/schema.ts'
import { scheduleSubscriberRemoval } from '../../notifications/subscribers/queries.ts'
import { removeFromList } from '../../storage/list-index.ts'
import { execute, q } from '../../storage/query.ts'
import { releaseDomain } from '../custom-domains/claims.ts'
import { releaseSlug } from './claim-slug.ts'
import { pageForUpdate } from './queries.ts'
import { ofPage } from './schema.ts'

export const deleteStatusPage = operation({
  ...ofPage,
  id: 'deleteStatusPage',
  method: 'DELETE',
  summary: 'Delete a status page',
  description:
    'Permanently deletes the page; its slug and domain become available. Published incidents lose the page. ' +
    'An incident without pages is kept but not public until it is deleted or gets another page.',
  answer: { status: 200, schema: Deleted, description: 'The id of the deleted resource' },
  *handle({ caller: { orgId } }, { params }) {
    const { id, slug, custom_domain: domain } = yield* pageForUpdate(orgId, params.statusPageId)
    const page = { orgId, pageId: id }
    yield* releaseSlug(page, slug)
    if (domain !== null) yield* releaseDomain(page, domain)
    // Foreign keys cascade to the links with monitors and published incidents.
    yield* execute(q.deleteFrom('status_pages').where('org_id', '=', orgId).where('id', '=', id))
    yield* scheduleSubscriberRemoval(orgId, id)
    yield* removeFromList(orgId, 'statuspage')
    return { data: { id } }
  },
})
