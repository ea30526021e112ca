import { useQuery } from '@tanstack/preact-query'
import { unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'

/** What the checks of a monitor found besides their results. Refetched after each check. */
export function useMonitorDetails(id: string) {
  const { api, key } = useOrganization()
  return useQuery({
    queryKey: key('monitor', id, 'details'),
    queryFn: () => unwrap(api.GET('/api/v1/monitors/{monitorId}/details', { params: { path: { monitorId: id } } })),
  })
}
