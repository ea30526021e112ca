import type { Static } from 'typebox'
import Type from 'typebox'
import { lockLabels } from '../../monitoring/labels/save.ts'
import type { DbWork } from '../../storage/query.ts'
import type { PageKey } from '../custom-domains/claims.ts'
import { UpdateStatusPage } from './schema.ts'
import { SetStatusPageSelectors, saveSelectors } from './selectors.ts'
import { savePatch } from './update.ts'

/** Unsaved changes of a page: as they would be sent to save them. */
export const StatusPageDraft = Type.Object(
  { page: UpdateStatusPage, selectors: Type.Optional(SetStatusPageSelectors.properties.sections) },
  { additionalProperties: false },
)

/**
 * Saves a draft, for a transaction that is rolled back after the page was read. Names, access and publication do not change
 * how a page looks; they could be taken, or need the network.
 */
export function* applyDraft(key: PageKey, draft: Static<typeof StatusPageDraft>, now: number): DbWork<void> {
  const { slug: _slug, customDomain: _domain, password: _password, ...rest } = draft.page
  const { visibility: _visibility, published: _published, ...look } = rest
  // Before the locks of monitors and pages, as changes of labels do.
  if (draft.selectors !== undefined) yield* lockLabels(key.orgId)
  yield* savePatch(key, look, now)
  if (draft.selectors !== undefined) yield* saveSelectors(key, draft.selectors)
}
