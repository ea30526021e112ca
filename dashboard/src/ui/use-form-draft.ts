import { useQueryClient } from '@tanstack/preact-query'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { AppSchemas } from '../api/client.ts'
import { useOrganization } from '../api/organization.tsx'
import { markSaved, markUnsaved, readDraft, writeDraft } from '../lib/unsaved-forms.ts'
import { fieldsOf } from './form.tsx'

export interface FormDraft<T> {
  readonly draft: T
  readonly setDraft: (change: T | ((before: T) => T)) => void
  readonly change: (changes: Partial<T>) => void
  /** What the control of a field needs. */
  readonly field: ReturnType<typeof fieldsOf<T>>
  readonly isDirty: boolean
  /** Unsaved changes of an earlier visit are in the form. */
  readonly isRestored: boolean
  /** Some of them were not stored, because they are secret. */
  readonly isPartial: boolean
  /** Back to what the form began with. */
  readonly discard: () => void
  /** Call it after saving and before navigating. `next` is what the form shows afterwards. */
  readonly saved: (next?: T) => void
}

/**
 * The values of a form. Changes survive leaving the screen until they are saved or discarded, or the user signs out.
 * `form` names the form and the resource. `storable` leaves out secrets; the password of a URL is never stored.
 */
export function useFormDraft<T extends object>(
  form: string,
  initial: T,
  storable: (changes: Partial<T>) => Partial<T> = (changes) => changes,
): FormDraft<T> {
  const key = useDraftKey(form)
  const [base, setBase] = useState(initial)
  const [kept] = useState(() => readDraft<T>(key))
  const [draft, setDraft] = useState<T>(() => ({ ...initial, ...kept?.changes }))
  const [isUntouched, setUntouched] = useState(true)
  const changes = changesOf(base, draft)
  const text = JSON.stringify(changes)
  const isDirty = text !== '{}'
  const discard = () => {
    setDraft(base)
    setUntouched(false)
    writeDraft(key, null)
    markSaved(key)
  }
  // Layout effects: a form that closes right after a key press has stored that change.
  useLayoutEffect(() => {
    if (!isDirty) return writeDraft(key, null)
    const stored = withoutUrlPasswords(storable(changes))
    const isPartial = JSON.stringify(stored) !== text || (kept?.isPartial === true && isUntouched)
    writeDraft(key, { changes: stored, isPartial })
  }, [key, text])
  useUnsaved(key, isDirty, discard)
  const change = (some: Partial<T>) => setDraft((before) => ({ ...before, ...some }))
  const begun = kept !== null && isUntouched
  return {
    draft,
    setDraft,
    change,
    field: fieldsOf(draft, change),
    isDirty,
    isRestored: begun && isDirty,
    isPartial: begun && kept.isPartial,
    discard,
    saved: (next = draft) => {
      setBase(next)
      setDraft(next)
      setUntouched(false)
      writeDraft(key, null)
      markSaved(key)
    },
  }
}

/** The same key for the same user, organization and form. */
export function useDraftKey(form: string): string {
  const { organization } = useOrganization()
  const me = useQueryClient().getQueryData<AppSchemas['Me']>(['me'])
  const [userId] = useState(me?.user.id ?? 'nobody')
  return `${userId}.${organization.id}.${form}`
}

/** Asks before the user leaves while the form has unsaved changes. */
export function useUnsaved(key: string, isDirty: boolean, discard: () => void): void {
  useLayoutEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isDirty])
  useLayoutEffect(() => {
    if (isDirty) markUnsaved(key, discard)
    else markSaved(key)
  })
  useLayoutEffect(() => () => markSaved(key), [key])
}

function changesOf<T extends object>(base: T, draft: T): Partial<T> {
  const fields = Object.entries(draft) as [keyof T, unknown][]
  return Object.fromEntries(
    fields.filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(base[field])),
  ) as Partial<T>
}

function withoutUrlPasswords<T extends object>(changes: Partial<T>): Partial<T> {
  const open = Object.entries(changes).filter(([, value]) => !/\/\/[^/\s]*:[^/\s]*@/.test(JSON.stringify(value)))
  return Object.fromEntries(open) as Partial<T>
}
