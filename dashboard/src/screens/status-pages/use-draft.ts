import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { markSaved, readDraft, writeDraft } from '../../lib/unsaved-forms.ts'
import { useDraftKey, useUnsaved } from '../../ui/use-form-draft.ts'
import { changesOf, type Draft, draftOf, withNewKeys } from './draft.ts'
import type { StatusPage } from './overall-status.tsx'

/**
 * The draft of the editor. It follows the saved page until the first edit; then it is kept, also when the editor is closed, and
 * closing the window asks for confirmation.
 */
export function useDraft(page: StatusPage) {
  const [base, setBase] = useState(page)
  const key = useDraftKey(`status-page.${page.id}`)
  const [kept] = useState(() => readDraft<Draft>(key))
  const [draft, setDraft] = useState<Draft>(() => withNewKeys({ ...draftOf(page), ...kept?.changes }))
  const isDirty = Object.keys(changesOf(base, draft)).length > 0
  useEffect(() => {
    // A response requested before the last save may arrive after it.
    if (isDirty || page.updatedAt <= base.updatedAt) return
    setBase(page)
    setDraft(draftOf(page))
  }, [page, base, isDirty])
  useLayoutEffect(() => {
    // The password is never stored.
    const { password, ...changes } = draft
    writeDraft(key, isDirty ? { changes, isPartial: password !== '' } : null)
  }, [key, isDirty, draft])
  useUnsaved(key, isDirty, () => takeOver(page))
  const takeOver = (from: StatusPage) => {
    setBase(from)
    setDraft(draftOf(from))
    writeDraft(key, null)
    markSaved(key)
  }
  return {
    draft,
    isDirty,
    isRestored: kept !== null,
    isPartial: kept?.isPartial === true,
    isOvertaken: page.updatedAt > base.updatedAt,
    change: (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes })),
    changes: () => changesOf(base, draft),
    discard: () => takeOver(page),
    saved: takeOver,
  }
}
