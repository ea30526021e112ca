import { exactTime, relativeTime, timeAgo } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'
import { useNow } from '../lib/use-now.ts'

interface RelativeTimeProps {
  readonly at: string | null | undefined
  /** Whether the time may be in the future: "in 3 d". */
  readonly upcoming?: boolean
}

/** "14 min ago", with the exact time as tooltip. */
export function RelativeTime({ at, upcoming = false }: RelativeTimeProps) {
  const now = useNow()
  if (at === null || at === undefined) return <span class="text-muted">{t('never')}</span>
  return (
    <time dateTime={at} title={exactTime(at)}>
      {upcoming ? relativeTime(at, now) : timeAgo(at, now)}
    </time>
  )
}

/** Exact time with zone. */
export function AbsoluteTime({ at }: { at: string }) {
  return <time dateTime={at}>{exactTime(at)}</time>
}
