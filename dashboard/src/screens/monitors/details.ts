import { useGet } from '../../api/get.ts'

/** What the checks of a monitor found besides their results. Refetched after each check. */
export function useMonitorDetails(id: string) {
  return useGet(['monitor', id], '/api/v1/monitors/{monitorId}/details', { path: { monitorId: id } })
}
