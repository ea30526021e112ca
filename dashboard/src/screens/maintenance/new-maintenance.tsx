import { useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { InfoNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { bodyOf, type Draft, newDraft } from './draft.ts'
import { WindowForm } from './window-form.tsx'

/** Creates a window; `?monitorId=` preselects a monitor. */
export default function NewMaintenance() {
  const { api, may, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const monitorId = new URLSearchParams(useSearch()).get('monitorId')
  const [initial] = useState(() => newDraft(Date.now(), monitorId === null ? [] : [monitorId]))
  const save = async (draft: Draft, saved: () => void) => {
    const created = await api.POST('/api/v1/maintenance-windows', { body: bodyOf(draft) })
    saved()
    showToast(created.status === 'IN_PROGRESS' ? t('Maintenance started') : t('Maintenance scheduled'))
    void refresh('maintenance')
    navigate(`/maintenance/${created.id}`)
  }
  return (
    <Page title={t('Schedule maintenance')} back={{ href: '/maintenance', label: t('Maintenance windows') }}>
      {may('MEMBER') ? (
        <WindowForm initial={initial} onSave={save} onCancel={() => navigate('/maintenance')} />
      ) : (
        <InfoNotice>{t('Viewers can’t schedule maintenance. Ask an admin for the Member role.')}</InfoNotice>
      )}
    </Page>
  )
}
