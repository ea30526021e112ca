import { useQueryClient } from '@tanstack/preact-query'
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'

/** How the event stream stands; `since` is when what is shown was last known to be current. */
export interface ConnectionState {
  readonly isLive: boolean
  readonly since: Date
}

const Context = createContext<ConnectionState>({ isLive: false, since: new Date() })

/** Changes that come within so short a time are asked about together. */
const GATHER_MS = 200
/** Whom the server refuses a stream (too many windows), the browser does not let ask again by itself. */
const REFUSED_MS = 5000
/** Where a thousand monitors are checked, something changes all the time: what is shown is asked about no more often. */
const REST_MS = 2000

/** Keeps what is on the screen current: the stream names what has changed, and what was asked about it is asked anew. */
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
          // A query that names another one of the kind is not concerned.
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
