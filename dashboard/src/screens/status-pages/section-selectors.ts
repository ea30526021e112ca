import { useQuery } from '@tanstack/preact-query'
import type { Clients, PublicSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'

/** The selectors of all sections, in order. */
export type SectionSelectors = PublicSchemas['StatusPageSelectors']['sections']

export function useSectionSelectors(statusPageId: string) {
  const { api, key } = useOrganization()
  return useQuery({
    queryKey: key('status_page', 'selectors', statusPageId),
    queryFn: async (): Promise<SectionSelectors> => {
      const path = { statusPageId }
      return (await api.GET('/api/v1/status-pages/{statusPageId}/selectors', { path })).sections
    },
  })
}

type GivenSelectors = PublicSchemas['SetStatusPageSelectors']['sections']

export async function saveSelectors(
  api: Clients['api'],
  statusPageId: string,
  sections: GivenSelectors,
): Promise<SectionSelectors> {
  const path = { statusPageId }
  return (await api.PUT('/api/v1/status-pages/{statusPageId}/selectors', { path, body: { sections } })).sections
}
