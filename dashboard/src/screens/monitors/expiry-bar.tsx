import { dayOf, duration } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { useNow } from '../../lib/use-now.ts'

interface ExpiryBarProps {
  readonly from: string | null
  readonly to: string
  readonly warnDays: number
}

/** Time left of a certificate or registration, as text and as a bar of its whole term. */
export function ExpiryBar({ from, to, warnDays }: ExpiryBarProps) {
  const now = useNow(60_000)
  const end = new Date(to).getTime()
  const leftSeconds = (end - now) / 1000
  const isOver = leftSeconds <= 0
  const isSoon = leftSeconds <= warnDays * 86_400
  const start = from === null ? null : new Date(from).getTime()
  const used = start === null || end <= start ? null : Math.min(1, Math.max(0, (now - start) / (end - start)))
  const text = isOver ? 'text-down-text' : isSoon ? 'text-degraded-text' : ''
  const fill = isOver ? 'bg-down' : isSoon ? 'bg-degraded' : 'bg-up'
  return (
    <div>
      <p class={`text-base font-semibold ${text}`}>
        {isOver
          ? t('Expired {timeLeft} ago', { timeLeft: timeLeft(-leftSeconds) })
          : t('Expires in {leftSeconds}', { leftSeconds: timeLeft(leftSeconds) })}
      </p>
      {used !== null && (
        <div class="mt-2 h-2 overflow-hidden rounded bg-line" aria-hidden="true">
          <div class={`h-2 min-w-0.5 rounded ${fill}`} style={{ inlineSize: `${used * 100}%` }} />
        </div>
      )}
      {from !== null && (
        <p class="mt-1 flex flex-wrap justify-between gap-x-3 text-xs text-muted">
          <span>{dayOf(from)}</span>
          <span>{dayOf(to)}</span>
        </p>
      )}
      <p class="mt-1 text-xs text-muted">
        {from === null && `${dayOf(to)} · `}
        {t('Alert {days} before expiry', { days: plural(warnDays, 'day') })}
      </p>
    </div>
  )
}

/** Whole days, as renewals are planned in days; hours on the last one. */
function timeLeft(seconds: number): string {
  return seconds >= 86_400 ? plural(Math.floor(seconds / 86_400), 'day') : duration(seconds)
}
