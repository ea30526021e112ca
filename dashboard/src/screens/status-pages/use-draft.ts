import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { markSaved, readDraft, writeDraft } from '../../lib/unsaved-forms.ts'
import { useDraftKey, useUnsaved } from '../../ui/use-form-draft.ts'
import { changesOf, type Draft, draftOf, selectorChanges, withNewKeys } from './draft.ts'
import type { StatusPage } from './overall-status.tsx'
import type { SectionSelectors } from './section-selectors.ts'

interface Saved {
  readonly page: StatusPage
  readonly selectors: SectionSelectors
}

/**
 * The draft of the editor. It follows the saved page until the first edit; then it is kept, also when the editor is closed, and
 * closing the window asks for confirmation.
 */
export function useDraft(current: Saved) {
  const { page, selectors } = current
  const [base, setBase] = useState(current)
  const key = useDraftKey(`status-page.${page.id}`)
  const [kept] = useState(() => readDraft<Draft>(key))
  const [draft, setDraft] = useState<Draft>(() => withNewKeys({ ...draftOf(page, selectors), ...kept?.changes }))
  const changedSelectors = selectorChanges(base.selectors, draft)
  const isDirty = Object.keys(changesOf(base.page, draft)).length > 0 || changedSelectors !== undefined
  useEffect(() => {
    // A response requested before the last save may arrive after it. Selectors do not change the time of the page.
    const isNewer = page.updatedAt > base.page.updatedAt
    const hasSelectors =
      page.updatedAt === base.page.updatedAt && JSON.stringify(selectors) !== JSON.stringify(base.selectors)
    if (isDirty || !(isNewer || hasSelectors)) return
    setBase(current)
    setDraft(draftOf(page, selectors))
  }, [page, selectors, base, isDirty])
  useLayoutEffect(() => {
    // The password is never stored.
    const { password, ...changes } = draft
    writeDraft(key, isDirty ? { changes, isPartial: password !== '' } : null)
  }, [key, isDirty, draft])
  useUnsaved(key, isDirty, () => replaceDraft(current))
  const replaceDraft = (from: Saved) => {
    setBase(from)
    setDraft(draftOf(from.page, from.selectors))
    writeDraft(key, null)
    markSaved(key)
  }
  return {
    draft,
    isDirty,
    isRestored: kept !== null,
    isPartial: kept?.isPartial === true,
    hasNewerVersion: page.updatedAt > base.page.updatedAt,
    change: (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes })),
    changes: () => changesOf(base.page, draft),
    changedSelectors,
    discard: () => replaceDraft(current),
    saved: replaceDraft,
    /** The page is saved, the selectors are not: they stay in the draft. */
    pageSaved: (after: StatusPage) => {
      setBase({ page: after, selectors: base.selectors })
      setDraft({ ...draft, password: '' })
    },
  }
}
