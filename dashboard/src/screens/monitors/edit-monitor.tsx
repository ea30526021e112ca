import { useLocation } from 'wouter-preact'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { LinkButton } from '../../ui/button.tsx'
import { DriftWarning } from '../../ui/managed.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { showToast } from '../../ui/toast.tsx'
import { draftOf } from './draft.ts'
import { MonitorForm } from './monitor-form.tsx'

export default function EditMonitor({ id }: { id: string }) {
  const { may } = useOrganization()
  const [, navigate] = useLocation()
  const monitor = useGet(['monitor', id], '/api/v1/monitors/{monitorId}', { path: { monitorId: id } })
  const here = `/monitors/${id}`
  const title = monitor.data === undefined ? t('Edit monitor') : t('Edit {name}', { name: monitor.data.name })
  return (
    <Page title={title} back={{ href: here, label: monitor.data?.name ?? t('Monitor') }}>
      {may('MEMBER') ? (
        <QueryResult query={monitor} lines={10}>
          {(data) => (
            <div class="space-y-4">
              <DriftWarning kind="monitor" id={id} />
              <MonitorForm
                initial={draftOf(data)}
                monitorId={id}
                onCancel={() => navigate(here)}
                onSaved={({ name }) => {
                  showToast(t('{name} saved', { name }))
                  navigate(here)
                }}
              />
            </div>
          )}
        </QueryResult>
      ) : (
        <EmptyState title={t('Viewers can’t edit monitors')} action={<LinkButton href={here}>{t('Back')}</LinkButton>}>
          {t('Ask an admin for the Member role.')}
        </EmptyState>
      )}
    </Page>
  )
}
