import type { UseQueryResult } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../lib/i18n.ts'
import { ErrorNotice } from './notice.tsx'

/** Delay before placeholders appear, to avoid flicker. */
const SPINNER_DELAY_MS = 150

interface LoadedProps<T> {
  readonly query: UseQueryResult<T, unknown>
  /** Number of placeholder lines, or a custom placeholder. */
  readonly lines?: number
  readonly skeleton?: ComponentChildren
  readonly children: (data: T) => ComponentChildren
}

/** Renders the data of a query, a placeholder while it loads, or its error. Keeps old data during a refetch. */
export function QueryResult<T>({ query, lines = 5, skeleton, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.isError) return <ErrorNotice problem={query.error} onRetry={() => void query.refetch()} />
  return <DelayedPlaceholder>{skeleton ?? <PlaceholderLines count={lines} />}</DelayedPlaceholder>
}

export function DelayedPlaceholder({ children }: { children: ComponentChildren }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SPINNER_DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  return isShown ? (
    <div role="status" aria-busy="true">
      <span class="sr-only">{t('Loading')}</span>
      {children}
    </div>
  ) : null
}

export function PlaceholderLines({ count }: { count: number }) {
  return (
    <div class="card space-y-4 p-4" aria-hidden="true">
      {Array.from({ length: count }, (_, i) => (
        <div key={i} class="skeleton h-5" style={{ width: `${90 - ((i * 17) % 40)}%` }} />
      ))}
    </div>
  )
}
