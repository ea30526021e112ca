import { useQuery } from '@tanstack/preact-query'
import type { Clients, PublicSchemas } from './client.ts'
import { useOrganization } from './organization.tsx'

interface Part<T> {
  readonly data: readonly T[]
  readonly pagination: { readonly offset: number; readonly total: number }
}

/** The largest page size of the API. */
const PART = 100

/** Fetches all pages of a list. */
export async function fetchAllPages<T>(
  ask: (page: { limit: number; offset: number }) => Promise<Part<T>>,
): Promise<T[]> {
  const found: T[] = []
  for (;;) {
    const { data, pagination } = await ask({ limit: PART, offset: found.length })
    found.push(...data)
    if (data.length === 0 || found.length >= pagination.total) return found
  }
}

/** The API skips at most this many entries of a list. */
const MAX_OFFSET = 100_000

/** Where the next page of an endless list begins; null after the last one. */
export function nextOffset({ data, pagination: { offset, total } }: Part<unknown>): number | null {
  const next = offset + data.length
  return data.length > 0 && next < Math.min(total, MAX_OFFSET) ? next : null
}

export type MonitorName = Pick<PublicSchemas['Monitor'], 'id' | 'name' | 'type' | 'state'>

async function monitorNames(api: Clients['api']): Promise<readonly MonitorName[]> {
  const all = await fetchAllPages((query) => api.GET('/api/v1/monitors', { query }))
  return all
    .map(({ id, name, type, state }) => ({ id, name, type, state }))
    .sort((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id))
}

/** Names of all monitors, for pickers. Not refetched after every check, because the event stream does not report this kind. */
export function useMonitorNames() {
  const { api, key } = useOrganization()
  return useQuery({ queryKey: key('names', 'monitors'), queryFn: () => monitorNames(api), staleTime: 15_000 })
}

/** At most this many ids in one request. */
const IDS_AT_ONCE = 100

/** Names of some monitors, in order of name. */
export function useNamesOf(ids: readonly string[]) {
  const { api, key } = useOrganization()
  return useQuery({
    queryKey: key('names', 'of', ids.join(',')),
    queryFn: async (): Promise<readonly MonitorName[]> => {
      const parts = Array.from({ length: Math.ceil(ids.length / IDS_AT_ONCE) }, (_, i) =>
        ids.slice(i * IDS_AT_ONCE, (i + 1) * IDS_AT_ONCE).join(','),
      )
      const pages = await Promise.all(
        parts.map((part) =>
          api.GET('/api/v1/monitor-list', { query: { ids: part, limit: IDS_AT_ONCE, sort: 'name' } }),
        ),
      )
      return pages.flatMap(({ data }) => data)
    },
    staleTime: 15_000,
  })
}

/** All status pages, for pickers and names. */
export function useAllStatusPages() {
  const { api, key } = useOrganization()
  return useQuery({
    queryKey: key('status_page', 'every'),
    queryFn: () => fetchAllPages((query) => api.GET('/api/v1/status-pages', { query })),
  })
}

export function allContacts(api: Clients['api']) {
  return fetchAllPages((query) => api.GET('/api/v1/contacts', { query }))
}

/** All alert contacts. */
export function useContacts() {
  const { api, key } = useOrganization()
  return useQuery({ queryKey: key('contact'), queryFn: () => allContacts(api) })
}

/** All alert contacts, and whether each gets alerts of the monitor. */
export function contactsOfMonitor(api: Clients['api'], monitorId: string) {
  return fetchAllPages((query) => api.GET('/api/v1/monitors/{monitorId}/contacts', { path: { monitorId }, query }))
}
