import type { UseQueryResult } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ErrorNotice } from './notice.tsx'

/** Whoever waits shorter than this sees no placeholder flash by. */
const PATIENCE_MS = 150

interface LoadedProps<T> {
  readonly query: UseQueryResult<T, unknown>
  /** Placeholder lines, unless something truer to the screen is given. */
  readonly lines?: number
  readonly skeleton?: ComponentChildren
  readonly children: (data: T) => ComponentChildren
}

/** What was asked for; until then a placeholder, and where it failed the reason. What was shown before stays on screen. */
export function QueryResult<T>({ query, lines = 5, skeleton, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.isError) return <ErrorNotice problem={query.error} onRetry={() => void query.refetch()} />
  return <DelayedPlaceholder>{skeleton ?? <PlaceholderLines count={lines} />}</DelayedPlaceholder>
}

export function DelayedPlaceholder({ children }: { children: ComponentChildren }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  return isShown ? (
    <div role="status" aria-busy="true">
      <span class="sr-only">Loading</span>
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
