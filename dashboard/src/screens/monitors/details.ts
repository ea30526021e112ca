import { useQuery } from '@tanstack/preact-query'
import { useOrganization } from '../../api/organization.tsx'

/** What the checks of a monitor found besides their results. Refetched after each check. */
export function useMonitorDetails(id: string) {
  const { api, key } = useOrganization()
  return useQuery({
    queryKey: key('monitor', id, 'details'),
    queryFn: () => api.GET('/api/v1/monitors/{monitorId}/details', { path: { monitorId: id } }),
  })
}
