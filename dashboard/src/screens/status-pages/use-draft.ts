import { useEffect, useState } from 'preact/hooks'
import { changesOf, type Draft, draftOf, keepDraft, keptDraft } from './draft.ts'
import type { StatusPage } from './overall-status.tsx'

/**
 * The draft of the editor. It follows the saved page until the first edit; then it is kept, also when the editor is closed, and
 * closing the window asks for confirmation.
 */
export function useDraft(page: StatusPage) {
  const [base, setBase] = useState(page)
  const [kept] = useState(() => keptDraft(page.id))
  const [draft, setDraft] = useState<Draft>(() => kept ?? draftOf(page))
  const isDirty = Object.keys(changesOf(base, draft)).length > 0
  useEffect(() => {
    // A response requested before the last save may arrive after it.
    if (isDirty || page.updatedAt <= base.updatedAt) return
    setBase(page)
    setDraft(draftOf(page))
  }, [page, base, isDirty])
  useEffect(() => keepDraft(page.id, isDirty ? draft : null), [page.id, isDirty, draft])
  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isDirty])
  const takeOver = (from: StatusPage) => {
    setBase(from)
    setDraft(draftOf(from))
  }
  return {
    draft,
    isDirty,
    isRestored: kept !== null,
    isOvertaken: page.updatedAt > base.updatedAt,
    change: (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes })),
    changes: () => changesOf(base, draft),
    discard: () => takeOver(page),
    saved: takeOver,
  }
}
