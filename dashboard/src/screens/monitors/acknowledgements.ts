import { RequestError } from '../../api/api-error.ts'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { showToast } from '../../ui/toast.tsx'

type Incident = PublicSchemas['Incident']

/** The names of those who acknowledged the incidents of a list, by incident. */
export function useAcknowledgedBy(incidents: readonly Incident[]): ReadonlyMap<string, string> {
  const incidentIds = incidents
    .filter(({ acknowledged }) => acknowledged)
    .map(({ id }) => id)
    .slice(0, 100)
    .join(',')
  const { data } = useGet('incident', '/api/v1/incidents/acknowledgements', {
    query: { incidentIds },
    enabled: incidentIds !== '',
  })
  return new Map(data?.data.map(({ incidentId, acknowledgedBy }) => [incidentId, acknowledgedBy.name]))
}

function leaveOut(problem: unknown): false {
  if (problem instanceof RequestError && problem.status === 409) return false
  throw problem
}

/** Acknowledges several incidents, one after the other. Those that are resolved meanwhile are left out. */
export function useAcknowledgeAll(): (incidents: readonly Incident[]) => Promise<void> {
  const { api, refresh } = useOrganization()
  return async (incidents) => {
    let count = 0
    try {
      for (const { id } of incidents) {
        const path = { incidentId: id }
        const isDone = await api.POST('/api/v1/incidents/{incidentId}/acknowledge', { path }).then(() => true, leaveOut)
        if (isDone) count += 1
      }
    } finally {
      await refresh('incident')
    }
    showToast(t('{count} acknowledged', { count: plural(count, 'incident') }))
  }
}
