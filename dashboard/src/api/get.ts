import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/preact-query'
import { type Answer, type AppPaths, type Input, type PathsWith, type PublicPaths, userApp } from './client.ts'
import { useOrganization } from './organization.tsx'

type Paths = PublicPaths & AppPaths
type Get<Path extends keyof Paths> = Paths[Path] extends { get: infer Operation } ? Operation : never
type Options<Path extends keyof Paths> = Input<Get<Path>> &
  Omit<UseQueryOptions<Answer<Get<Path>>, Error>, 'queryKey' | 'queryFn'>

/**
 * What an operation of the organization returns. `about` is a kind of the event stream, with an id if it is about one resource of that kind:
 * a change of that kind or resource fetches it again.
 */
export function useGet<Path extends PathsWith<Paths, 'get'>>(
  about: string | readonly [kind: string, id: string],
  url: Path,
  ...[options]: object extends Options<Path> ? [options?: Options<Path>] : [options: Options<Path>]
): UseQueryResult<Answer<Get<Path>>, Error> {
  const { api, app, key } = useOrganization()
  const { path, query, ...rest } = (options ?? {}) as Omit<Options<Path>, 'path' | 'query'> & {
    path?: object
    query?: object
  }
  const [kind, id] = typeof about === 'string' ? [about, null] : about
  const get = (url.startsWith('/app/') ? app : api).GET as unknown as (
    url: string,
    input: object,
  ) => Promise<Answer<Get<Path>>>
  const queryKey = key(kind, id, url, path, query)
  // A request that nobody waits for any more is aborted.
  return useQuery({ ...rest, queryKey, queryFn: ({ signal }) => get(url, { path, query, signal }) })
}

/** The user, with the organizations. */
export function useMe(options: { readonly enabled?: boolean; readonly staleTime?: number } = {}) {
  return useQuery({ ...options, queryKey: ['me'], queryFn: () => userApp.GET('/app/api/me') })
}

/** Sign-in options. Always refetched, because it also reports whether the user is signed in. */
export function useAbout() {
  return useQuery({ queryKey: ['about'], queryFn: () => userApp.GET('/app/api/about'), staleTime: 0 })
}
