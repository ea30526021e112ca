import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { t } from '../../lib/i18n.ts'
import { sentenceOf } from '../../lib/reasons.ts'

type Incident = PublicSchemas['Incident']

/** The reason that a list shows for an incident: its last failure while it is ongoing, then what opened it. */
export function useIncidentReasons(incidents: readonly Incident[]): (incident: Incident) => string {
  const incidentIds = incidents
    .filter(({ resolvedAt }) => resolvedAt === null)
    .map(({ id }) => id)
    .slice(0, 100)
    .join(',')
  // About monitors: each check can add a failure, and is announced as a change of the monitor.
  const { data } = useGet('monitor', '/api/v1/incidents/last-failures', {
    query: { incidentIds },
    enabled: incidentIds !== '',
  })
  const last = new Map(data?.data.map((failure) => [failure.incidentId, sentenceOf(failure, 'error')]))
  return (incident) => last.get(incident.id) ?? sentenceOf(incident, 'cause') ?? t('Check failed')
}
