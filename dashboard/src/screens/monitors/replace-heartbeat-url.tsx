import { useState } from 'preact/hooks'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'

export function ReplaceHeartbeatUrl({ monitorId }: { monitorId: string }) {
  const { api, refresh } = useOrganization()
  const [isConfirming, setConfirming] = useState(false)
  const replace = async () => {
    const path = { monitorId }
    await api.POST('/api/v1/monitors/{monitorId}/heartbeat-token/rotate', { path, body: {} })
    await refresh('monitor')
    showToast(t('Heartbeat URL replaced'))
  }
  return (
    <>
      <Button onClick={() => setConfirming(true)}>{t('Replace URL')}</Button>
      {isConfirming && (
        <Confirm
          title={t('Replace heartbeat URL?')}
          action={t('Replace')}
          onConfirm={replace}
          onClose={() => setConfirming(false)}
        >
          <p>{t('The current URL stops working immediately. Update the job with the new one.')}</p>
        </Confirm>
      )}
    </>
  )
}
