import { useEffect, useState } from 'preact/hooks'

interface ToastOptions {
  /** A button in the message, such as Undo. It closes the message. */
  readonly action?: { readonly label: string; readonly run: () => void }
  readonly shownMs?: number
}

interface Toast extends ToastOptions {
  readonly id: number
  readonly text: string
}

const SHOWN_MS = 5000
/** Time to react to a message with a button. */
export const UNDO_MS = 8000
let listener: (text: string, options: ToastOptions) => void = () => {}

/** A temporary message after success. Errors are shown in place and stay, unless their place is gone. */
export function showToast(text: string, options: ToastOptions = {}): void {
  listener(text, options)
}

export function Toasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const close = (id: number) => setToasts((before) => before.filter((other) => other.id !== id))
  useEffect(() => {
    let id = 0
    listener = (text, options) => {
      id += 1
      const toast = { id, text, ...options }
      setToasts((before) => [...before.slice(-2), toast])
      const { action, shownMs = action === undefined ? SHOWN_MS : UNDO_MS } = options
      setTimeout(() => close(toast.id), shownMs)
    }
    return () => {
      listener = () => {}
    }
  }, [])
  return (
    <div
      class="pointer-events-none fixed inset-x-0 bottom-32 z-50 flex flex-col items-center gap-2 px-4 md:bottom-6 md:px-8"
      role="status"
      aria-live="polite"
    >
      {toasts.map(({ id, text, action }) => (
        <p key={id} class="flex items-center gap-3 rounded-md bg-ink px-4 py-2 text-surface shadow-lg">
          {text}
          {action !== undefined && (
            <button
              type="button"
              class="touch pointer-events-auto shrink-0 cursor-pointer px-1 font-semibold underline underline-offset-2 focus-visible:outline-surface"
              onClick={() => {
                close(id)
                action.run()
              }}
            >
              {action.label}
            </button>
          )}
        </p>
      ))}
    </div>
  )
}
