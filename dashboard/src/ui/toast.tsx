import { useEffect, useState } from 'preact/hooks'

interface Said {
  readonly id: number
  readonly text: string
}

const SHOWN_MS = 5000
let listener: (text: string) => void = () => {}

/** A temporary message after success. Errors are shown in place and stay. */
export function showToast(text: string): void {
  listener(text)
}

export function Toasts() {
  const [said, setSaid] = useState<readonly Said[]>([])
  useEffect(() => {
    let id = 0
    listener = (text) => {
      id += 1
      const one = { id, text }
      setSaid((before) => [...before.slice(-2), one])
      setTimeout(() => setSaid((before) => before.filter((other) => other !== one)), SHOWN_MS)
    }
    return () => {
      listener = () => {}
    }
  }, [])
  return (
    <div
      class="pointer-events-none fixed inset-x-0 bottom-32 z-50 flex flex-col items-center gap-2 px-4 md:bottom-6 md:items-end md:px-8"
      role="status"
      aria-live="polite"
    >
      {said.map(({ id, text }) => (
        <p key={id} class="rounded-md bg-ink px-4 py-2 text-surface shadow-lg">
          {text}
        </p>
      ))}
    </div>
  )
}
