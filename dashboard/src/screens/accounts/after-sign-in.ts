import { type QueryClient, useQuery, useQueryClient } from '@tanstack/preact-query'
import { useCallback } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { unwrap, userApp } from '../../api/client.ts'

/** How people come in here; asked anew each time, since it says whether somebody is in. */
export function useAbout() {
  return useQuery({ queryKey: ['about'], queryFn: () => unwrap(userApp.GET('/app/api/about')), staleTime: 0 })
}

/** Where to go afterwards: a path of this server's own, or nothing. */
export function nextPath(search: string): string | undefined {
  const next = new URLSearchParams(search).get('next')
  // `//host` and `/\host` lead elsewhere; what the browser makes of the rest is asked of it.
  if (next === null || !/^\/(?![/\\])/.test(next)) return undefined
  const { origin, pathname, search: rest, hash } = new URL(next, window.location.origin)
  return origin === window.location.origin ? pathname + rest + hash : undefined
}

/** Goes on as who has just come in: nothing that was asked before holds any more. */
export function useAfterSignIn(): (to?: string) => void {
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  return useCallback(
    (to = '/') => {
      queries.clear()
      navigate(to)
    },
    [queries, navigate],
  )
}

/** The address of the organization that somebody new belongs to. */
export async function homePath(queries: QueryClient, organizationId?: string): Promise<string> {
  queries.clear()
  const { organizations } = await unwrap(userApp.GET('/app/api/me'))
  const { slug } = organizations.find(({ id }) => id === organizationId) ?? organizations[0] ?? {}
  return slug === undefined ? '/' : `/o/${slug}/`
}
