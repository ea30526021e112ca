import { type QueryClient, useQueryClient } from '@tanstack/preact-query'
import { useCallback } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { userApp } from '../../api/client.ts'

/** The path to open after sign-in; undefined if it is not a path of this server. */
export function nextPath(search: string): string | undefined {
  const next = new URLSearchParams(search).get('next')
  // `//host` and `/\host` open other sites; URL parsing checks the rest.
  if (next === null || !/^\/(?![/\\])/.test(next)) return undefined
  const { origin, pathname, search: rest, hash } = new URL(next, window.location.origin)
  return origin === window.location.origin ? pathname + rest + hash : undefined
}

/** Clears all cached data and opens the next path. */
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

/** Path of the user's organization. */
export async function homePath(queries: QueryClient, organizationId?: string): Promise<string> {
  queries.clear()
  const { organizations } = await userApp.GET('/app/api/me')
  const { slug } = organizations.find(({ id }) => id === organizationId) ?? organizations[0] ?? {}
  return slug === undefined ? '/' : `/o/${slug}/`
}
