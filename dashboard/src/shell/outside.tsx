import { Lines, Patient } from '../ui/loaded.tsx'
import { ErrorNote } from '../ui/notice.tsx'

/** Before it is known who is there; whoever waits shorter than a moment sees nothing of it. */
export function Opening() {
  return (
    <main class="mx-auto max-w-xl p-6">
      <h1 class="sr-only">Pharos</h1>
      <Patient>
        <Lines count={4} />
      </Patient>
    </main>
  )
}

/** It could not be found out who is there. */
export function Trouble({ problem, onRetry }: { problem: unknown; onRetry: () => void }) {
  return (
    <main class="mx-auto max-w-xl p-6">
      <h1 class="mb-4 text-xl font-semibold">Pharos</h1>
      <ErrorNote problem={problem} onRetry={onRetry} />
    </main>
  )
}
