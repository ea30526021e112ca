import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useRunningAction } from './actions.ts'

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
