import { useGet } from '../../api/get.ts'

const REFETCH_MS = 5000

/** The event stream does not report deliveries, so waiting alerts are asked for again. */
export function useAlerts(incidentId: string) {
  return useGet(['incident', incidentId], '/api/v1/incidents/{incidentId}/alerts', {
    path: { incidentId },
    refetchInterval: ({ state }) => (state.data?.data.some(({ status }) => status === 'WAITING') ? REFETCH_MS : false),
  })
}

/** Published incidents that are linked to a detected one. */
export function usePublications(incidentId: string) {
  return useGet('status_incident', '/api/v1/incidents/{incidentId}/status-incidents', { path: { incidentId } })
}
