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
const GATHER_MS = 200
/** The browser does not reconnect by itself after an error status (too many streams). */
const REFUSED_MS = 5000
/** Minimum time between refetches of a query, for organizations with constant changes. */
const REST_MS = 2000

/** Keeps the screen current: refetches queries whose resources the event stream reports as changed. */
export function LiveUpdates({ organizationId, children }: { organizationId: string; children: ComponentChildren }) {
  const queries = useQueryClient()
  const [liveness, setLiveness] = useState<ConnectionState>({ isLive: true, since: new Date() })
  useEffect(() => {
    const changed = new Map<string, Set<string> | 'all'>()
    let timer: ReturnType<typeof setTimeout> | undefined
    let askedAt = 0
    const askAnew = () => {
      timer = undefined
      askedAt = performance.now()
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
      timer ??= setTimeout(askAnew, Math.max(GATHER_MS, askedAt + REST_MS - performance.now()))
    }
    const askEverything = () => void queries.invalidateQueries({ queryKey: [organizationId] })
    let again: ReturnType<typeof setTimeout> | undefined
    const connect = (isAgain: boolean): EventSource => {
      const next = new EventSource(`/app/api/events?organization=${organizationId}`)
      next.addEventListener('open', () => {
        setLiveness({ isLive: true, since: new Date() })
        if (isAgain) askEverything()
      })
      next.addEventListener('error', () => {
        setLiveness((before) => (before.isLive ? { isLive: false, since: new Date() } : before))
        if (next.readyState !== EventSource.CLOSED) return
        again = setTimeout(() => {
          source = connect(true)
        }, REFUSED_MS)
      })
      next.addEventListener('change', (event) => {
        const { kind, id } = JSON.parse(event.data) as { kind: string; id: string | null }
        note(kind, id)
      })
      next.addEventListener('reset', askEverything)
      return next
    }
    let source = connect(false)
    return () => {
      clearTimeout(timer)
      clearTimeout(again)
      source.close()
    }
  }, [organizationId, queries])
  return <Context.Provider value={liveness}>{children}</Context.Provider>
}

export function useConnectionState(): ConnectionState {
  return useContext(Context)
}
