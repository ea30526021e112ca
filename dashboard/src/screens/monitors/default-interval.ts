import { useQuery } from '@tanstack/preact-query'
import { useOrganization } from '../../api/organization.tsx'

const DEFAULT_SECONDS = 60

/** The interval of new monitors: a minute, or the shortest that the plan allows. */
export function defaultInterval(fastestIntervalSeconds: number): number {
  return Math.max(DEFAULT_SECONDS, fastestIntervalSeconds)
}

/** The plan and its limits. */
export function useUsage() {
  const { api, key } = useOrganization()
  return useQuery({ queryKey: key('monitor', 'usage'), queryFn: () => api.GET('/api/v1/usage') })
}
