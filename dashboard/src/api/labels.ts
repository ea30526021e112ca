import { useQuery } from '@tanstack/preact-query'
import { type PublicSchemas, unwrap } from './client.ts'
import { useOrganization } from './organization.tsx'

export type KnownLabel = PublicSchemas['Label']

const KEYS_OFFERED = 100

/** The labels in use, to be suggested. Empty while they are loading. */
export function useKnownLabels(enabled = true): readonly KnownLabel[] {
  const { api, key } = useOrganization()
  const { data } = useQuery({
    queryKey: key('monitor', 'labels-in-use'),
    queryFn: () => unwrap(api.GET('/api/v1/labels', { params: { query: { limit: KEYS_OFFERED } } })),
    enabled,
  })
  return data?.data ?? []
}
