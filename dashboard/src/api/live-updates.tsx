import { useQueryClient } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { setLive } from '../lib/connection.ts'

/** Changes within this time are fetched together. */
const BATCH_MS = 200
/** The browser does not reconnect by itself after an error status (too many streams). */
const REFUSED_MS = 5000
/** Minimum time between refetches of a query, for organizations with constant changes. */
const MIN_PAUSE_MS = 2000

/** Keeps the screen current: refetches queries whose resources the event stream reports as changed. */
export function LiveUpdates({ organizationId, children }: { organizationId: string; children: ComponentChildren }) {
  const queries = useQueryClient()
  useEffect(() => {
    const changed = new Map<string, Set<string> | 'all'>()
    let timer: ReturnType<typeof setTimeout> | undefined
    let fetchedAt = 0
    const refetchChanged = () => {
      timer = undefined
      fetchedAt = performance.now()
      for (const [kind, ids] of changed) {
        void queries.invalidateQueries({
          queryKey: [organizationId, kind],
          // Skips queries for another resource of the same kind.
          predicate: ({ queryKey: [, , third] }) =>
            ids === 'all' || typeof third !== 'string' || !third.includes('_') || ids.has(third),
        })
      }
      changed.clear()
    }
    const note = (kind: string, id: string | null) => {
      const ids = changed.get(kind)
      if (id === null || ids === 'all') changed.set(kind, 'all')
      else changed.set(kind, (ids ?? new Set()).add(id))
      timer ??= setTimeout(refetchChanged, Math.max(BATCH_MS, fetchedAt + MIN_PAUSE_MS - performance.now()))
    }
    const refetchAll = () => void queries.invalidateQueries({ queryKey: [organizationId] })
    let again: ReturnType<typeof setTimeout> | undefined
    const connect = (isReconnect: boolean): EventSource => {
      const next = new EventSource(`/app/api/events?organization=${organizationId}`)
      next.addEventListener('open', () => {
        setLive(true)
        if (isReconnect) refetchAll()
      })
      next.addEventListener('error', () => {
        setLive(false)
        if (next.readyState !== EventSource.CLOSED) return
        again = setTimeout(() => {
          source = connect(true)
        }, REFUSED_MS)
      })
      next.addEventListener('change', (event) => {
        const { kind, id } = JSON.parse(event.data) as { kind: string; id: string | null }
        note(kind, id)
      })
      next.addEventListener('reset', refetchAll)
      return next
    }
    let source = connect(false)
    // The stream itself may not notice it for minutes.
    const lost = () => {
      setLive(false)
      source.close()
      clearTimeout(again)
    }
    const found = () => {
      clearTimeout(again)
      source.close()
      source = connect(true)
    }
    window.addEventListener('offline', lost)
    window.addEventListener('online', found)
    return () => {
      window.removeEventListener('offline', lost)
      window.removeEventListener('online', found)
      setLive(true)
      clearTimeout(timer)
      clearTimeout(again)
      source.close()
    }
  }, [organizationId, queries])
  return <>{children}</>
}
