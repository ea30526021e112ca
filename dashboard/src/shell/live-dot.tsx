import { useConnectionState } from '../api/live-updates.tsx'
import { timeOfDay } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'

/** Shows whether live updates work, and otherwise the age of the data. */
export function LiveDot() {
  const { isLive, since } = useConnectionState()
  return (
    <p role="status" class="flex max-w-48 items-center gap-2 px-3 py-2 text-xs text-balance text-muted">
      <span
        aria-hidden="true"
        class={`size-2 shrink-0 rounded-full ${isLive ? 'bg-up' : 'border-2 border-degraded'}`}
      />
      {isLive ? t('Live') : t('Reconnecting. Data from {since}', { since: timeOfDay(since) })}
    </p>
  )
}
