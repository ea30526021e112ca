import { useQuery } from '@tanstack/preact-query'
import { useOrganization } from '../../api/organization.tsx'

const REFETCH_MS = 5000

/** The event stream does not report deliveries, so waiting alerts are asked for again. */
export function useAlerts(incidentId: string) {
  const { api, key } = useOrganization()
  return useQuery({
    queryKey: key('incident', incidentId, 'alerts'),
    queryFn: () => api.GET('/api/v1/incidents/{incidentId}/alerts', { path: { incidentId } }),
    refetchInterval: ({ state }) => (state.data?.data.some(({ status }) => status === 'WAITING') ? REFETCH_MS : false),
  })
}

export function useNotes(incidentId: string) {
  const { api, key } = useOrganization()
  return useQuery({
    queryKey: key('incident', incidentId, 'notes'),
    queryFn: () => api.GET('/api/v1/incidents/{incidentId}/notes', { path: { incidentId } }),
  })
}

/** Published incidents that are linked to a detected one. */
export function usePublications(incidentId: string) {
  const { api, key } = useOrganization()
  return useQuery({
    queryKey: key('status_incident', 'linked', incidentId),
    queryFn: () => api.GET('/api/v1/incidents/{incidentId}/status-incidents', { path: { incidentId } }),
  })
}
