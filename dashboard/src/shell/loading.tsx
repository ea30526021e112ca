import { ErrorNotice } from '../ui/notice.tsx'
import { DelayedPlaceholder, PlaceholderLines } from '../ui/query-result.tsx'

/** Before it is known who is there; whoever waits shorter than a moment sees nothing of it. */
export function LoadingScreen() {
  return (
    <main class="mx-auto max-w-xl p-6">
      <h1 class="sr-only">Pharos</h1>
      <DelayedPlaceholder>
        <PlaceholderLines count={4} />
      </DelayedPlaceholder>
    </main>
  )
}

/** It could not be found out who is there. */
export function LoadError({ problem, onRetry }: { problem: unknown; onRetry: () => void }) {
  return (
    <main class="mx-auto max-w-xl p-6">
      <h1 class="mb-4 text-xl font-semibold">Pharos</h1>
      <ErrorNotice problem={problem} onRetry={onRetry} />
    </main>
  )
}
