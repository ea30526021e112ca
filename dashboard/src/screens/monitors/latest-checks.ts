import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'

type Monitor = PublicSchemas['Monitor']
type Check = PublicSchemas['Check']

/** The last check of a monitor that is down or degraded, for its reason. */
export function useLastFailure({ id, state }: Monitor): Check | undefined {
  return useLatest(id, state === 'DEGRADED' ? 'DEGRADED' : 'DOWN', state === 'DOWN' || state === 'DEGRADED')
}

/** The last inconclusive check, if no other check came after it. */
export function useInconclusive({ id, type, state, lastCheckedAt }: Monitor): Check | undefined {
  const check = useLatest(id, 'INCONCLUSIVE', type !== 'CRON' && state !== 'PAUSED')
  const isLatest = check !== undefined && (lastCheckedAt === null || check.at > lastCheckedAt)
  return isLatest ? check : undefined
}

function useLatest(monitorId: string, state: Check['state'], enabled: boolean): Check | undefined {
  const query = { state, limit: 1 }
  const found = useGet(['monitor', monitorId], '/api/v1/monitors/{monitorId}/checks', {
    path: { monitorId },
    query,
    enabled,
  })
  return enabled ? found.data?.data[0] : undefined
}
