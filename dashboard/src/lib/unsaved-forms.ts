import { rememberPlace } from './place-memory.ts'

/** Unsaved forms: what they keep in the session storage of the tab, and the question before the user leaves one. */

const PREFIX = 'pharos.draft.'

export interface KeptDraft<T> {
  /** Fields that differ from what the form began with. */
  readonly changes: Partial<T>
  /** Something was entered that is never stored, such as a password. */
  readonly isPartial: boolean
}

export function readDraft<T>(key: string): KeptDraft<T> | null {
  const text = sessionStorage.getItem(PREFIX + key)
  if (text === null) return null
  try {
    return JSON.parse(text) as KeptDraft<T>
  } catch {
    return null
  }
}

/** Null removes it. A full storage keeps nothing: the form still works and still asks before it is left. */
export function writeDraft<T>(key: string, draft: KeptDraft<T> | null): void {
  try {
    if (draft === null) sessionStorage.removeItem(PREFIX + key)
    else sessionStorage.setItem(PREFIX + key, JSON.stringify(draft))
  } catch {
    sessionStorage.removeItem(PREFIX + key)
  }
}

/** At sign-out: the next user of the tab must not see them. */
export function clearDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
  unsaved.clear()
}

/** The forms on the screen with unsaved changes, and how to discard those. */
const unsaved = new Map<string, () => void>()

export function markUnsaved(key: string, discard: () => void): void {
  unsaved.set(key, discard)
}

export function markSaved(key: string): void {
  unsaved.delete(key)
}

export type LeaveAnswer = 'stay' | 'leave' | 'discard'
/** `isFinal`: the changes cannot be restored afterwards, because the user signs out. */
export interface LeaveQuestion {
  readonly isFinal: boolean
  readonly answer: (answer: LeaveAnswer) => void
}

let listener: ((question: LeaveQuestion) => void) | undefined

export function onLeaveQuestion(ask: (question: LeaveQuestion) => void): () => void {
  listener = ask
  return () => {
    listener = undefined
  }
}

/** Asks if a form has unsaved changes. True if the user wants to leave. */
export async function mayLeave(isFinal = false): Promise<boolean> {
  const ask = listener
  if (unsaved.size === 0 || ask === undefined) return true
  const answer = await new Promise<LeaveAnswer>((resolve) => ask({ isFinal, answer: resolve }))
  if (answer === 'discard') for (const discard of [...unsaved.values()]) discard()
  return answer !== 'stay'
}

function isElsewhere(url: string): boolean {
  return new URL(url, window.location.href).pathname !== window.location.pathname
}

/** Wraps every navigation within the application. A change of the query string keeps the form. */
export function guardNavigation<O>(navigate: (to: string, options?: O) => void, to: string, options?: O): void {
  if (isElsewhere(to)) rememberPlace()
  if (unsaved.size === 0 || !isElsewhere(to)) navigate(to, options)
  else void mayLeave().then((isLeaving) => isLeaving && navigate(to, options))
}

interface TraverseEvent extends Event {
  readonly navigationType: string
  readonly destination: { readonly url: string; readonly key: string }
}

interface Navigation extends EventTarget {
  traverseTo(key: string): unknown
}

/** Guards Back and Forward where the browser can. Elsewhere they leave without a question; the draft is restored all the same. */
export function guardTraversal(): () => void {
  const { navigation } = window as unknown as { navigation?: Navigation }
  if (navigation === undefined) return () => {}
  let allowed: string | undefined
  const guard = (event: Event) => {
    const { navigationType, destination, cancelable } = event as TraverseEvent
    const isAllowed = destination.key === allowed
    allowed = undefined
    if (isAllowed || navigationType !== 'traverse' || !cancelable) return
    if (unsaved.size === 0 || !isElsewhere(destination.url)) return
    event.preventDefault()
    void mayLeave().then((isLeaving) => {
      if (!isLeaving) return
      allowed = destination.key
      navigation.traverseTo(destination.key)
    })
  }
  navigation.addEventListener('navigate', guard)
  return () => navigation.removeEventListener('navigate', guard)
}
