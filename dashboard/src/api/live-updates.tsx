import { useQueryClient } from '@tanstack/preact-query'
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'

/** State of the event stream. `since`: when the shown data was last known to be current. */
export interface ConnectionState {
  readonly isLive: boolean
  readonly since: Date
}

const Context = createContext<ConnectionState>({ isLive: false, since: new Date() })

/** Changes within this time are fetched together. */
const BATCH_MS = 200
/** The browser does not reconnect by itself after an error status (too many streams). */
const REFUSED_MS = 5000
/** Minimum time between refetches of a query, for organizations with constant changes. */
const MIN_PAUSE_MS = 2000

/** Keeps the screen current: refetches queries whose resources the event stream reports as changed. */
export function LiveUpdates({ organizationId, children }: { organizationId: string; children: ComponentChildren }) {
  const queries = useQueryClient()
  const [connection, setConnection] = useState<ConnectionState>({ isLive: true, since: new Date() })
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
        setConnection({ isLive: true, since: new Date() })
        if (isReconnect) refetchAll()
      })
      next.addEventListener('error', () => {
        setConnection((before) => (before.isLive ? { isLive: false, since: new Date() } : before))
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
    return () => {
      clearTimeout(timer)
      clearTimeout(again)
      source.close()
    }
  }, [organizationId, queries])
  return <Context.Provider value={connection}>{children}</Context.Provider>
}

export function useConnectionState(): ConnectionState {
  return useContext(Context)
}
