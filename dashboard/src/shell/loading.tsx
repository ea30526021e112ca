import { t } from '../lib/i18n.ts'
import { ErrorNotice } from '../ui/notice.tsx'
import { DelayedPlaceholder, PlaceholderLines } from '../ui/query-result.tsx'

/** Shown while the session is loaded, after a short delay. */
export function LoadingScreen() {
  return (
    <main class="mx-auto max-w-xl p-6">
      <h1 class="sr-only">{t('Pharos')}</h1>
      <DelayedPlaceholder>
        <PlaceholderLines count={4} />
      </DelayedPlaceholder>
    </main>
  )
}

/** Shown if the session could not be loaded. */
export function LoadError({ problem, onRetry }: { problem: unknown; onRetry: () => void }) {
  return (
    <main class="mx-auto max-w-xl p-6">
      <h1 class="mb-4 text-xl font-semibold">{t('Pharos')}</h1>
      <ErrorNotice problem={problem} onRetry={onRetry} />
    </main>
  )
}
