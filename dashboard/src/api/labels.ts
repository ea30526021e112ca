import { useQuery } from '@tanstack/preact-query'
import type { PublicSchemas } from './client.ts'
import { useOrganization } from './organization.tsx'

export type KnownLabel = PublicSchemas['Label']

const KEYS_OFFERED = 100

/** The labels in use, to be suggested. Empty while they are loading. */
export function useKnownLabels(enabled = true): readonly KnownLabel[] {
  const { api, key } = useOrganization()
  const { data } = useQuery({
    queryKey: key('monitor', 'labels-in-use'),
    queryFn: () => api.GET('/api/v1/labels', { query: { limit: KEYS_OFFERED } }),
    enabled,
  })
  return data?.data ?? []
}

/** The labels of a monitor; none of one that is being created. */
export function useMonitorLabels(monitorId: string | undefined) {
  const { api, key } = useOrganization()
  return useQuery({
    queryKey: key('monitor', 'labels', monitorId ?? 'new'),
    queryFn: async (): Promise<Readonly<Record<string, string>>> => {
      if (monitorId === undefined) return {}
      return (await api.GET('/api/v1/monitors/{monitorId}/labels', { path: { monitorId } })).labels
    },
  })
}
