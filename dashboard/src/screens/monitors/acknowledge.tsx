import { RequestError } from '../../api/api-error.ts'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'

export function useAcknowledge(id: string): () => Promise<void> {
  const { api, refresh } = useOrganization()
  return async () => {
    await api.POST('/api/v1/incidents/{incidentId}/acknowledge', { path: { incidentId: id } })
    await refresh('incident')
    showToast(t('Incident acknowledged'))
  }
}

/** Acknowledges an incident. Hidden without permission. */
export function Acknowledge({ id, name }: { id: string; name: string }) {
  const { may } = useOrganization()
  const acknowledge = useAcknowledge(id)
  const doing = useRunningAction()
  if (!may('MEMBER')) return <span class="text-muted">{t('Not acknowledged')}</span>
  return (
    <>
      <Button
        busy={doing.busy !== null}
        data-acknowledge
        aria-label={t('Acknowledge {name} incident', { name })}
        onClick={() => void doing.run('acknowledge', acknowledge)}
      >
        {t('Acknowledge')}
      </Button>
      {doing.problem !== undefined && (
        <p role="alert" class="mt-1 text-xs text-down-text">
          {(doing.problem as Error).message}
        </p>
      )}
    </>
  )
}

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

/** Who acknowledged an incident, or the button to do it. */
export function AcknowledgedBy({ incident }: { incident: PublicSchemas['Incident'] }) {
  const name = useAcknowledgedBy([incident]).get(incident.id)
  if (!incident.acknowledged) return <Acknowledge id={incident.id} name={incident.monitor.name} />
  return <span class="text-muted">{acknowledgedBy(name)}</span>
}

export function acknowledgedBy(name: string | undefined): string {
  return name === undefined ? t('Acknowledged') : t('Acknowledged by {name}', { name })
}
