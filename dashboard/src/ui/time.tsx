import { exactTime, relativeTime } from '../lib/format.ts'
import { useNow } from '../lib/use-now.ts'

/** "14 min ago", with the exact time as tooltip. */
export function RelativeTime({ at }: { at: string | null | undefined }) {
  const now = useNow()
  if (at === null || at === undefined) return <span class="text-muted">never</span>
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at, now)}
    </time>
  )
}

/** Exact time with zone. */
export function AbsoluteTime({ at }: { at: string }) {
  return <time dateTime={at}>{exactTime(at)}</time>
}
