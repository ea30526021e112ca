import { useLocation } from 'wouter-preact'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t, tx } from '../../lib/i18n.ts'
import { markSaved, writeDraft } from '../../lib/unsaved-forms.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useDraftKey } from '../../ui/use-form-draft.ts'
import type { StatusPage } from './overall-status.tsx'

export function DeletePage({ page, onClose }: { page: StatusPage; onClose: () => void }) {
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const draftKey = useDraftKey(`status-page.${page.id}`)
  const incidents = useGet('status_incident', '/api/v1/status-incidents', {
    query: { statusPageId: page.id, limit: 1 },
  })
  const count = incidents.data?.pagination.total ?? 0
  const remove = async () => {
    await api.DELETE('/api/v1/status-pages/{statusPageId}', { path: { statusPageId: page.id } })
    writeDraft(draftKey, null)
    markSaved(draftKey)
    showToast(t('Status page deleted'))
    navigate('/status-pages')
    void refresh('status_page', 'status_incident')
  }
  return (
    <Confirm
      title={t('Delete {name}?', { name: page.name })}
      action={t('Delete permanently')}
      typed={page.slug}
      onConfirm={remove}
      onClose={onClose}
    >
      <ul class="ms-5 list-disc space-y-1">
        <li>{t('The page, its feeds, calendar and badge stop working.')}</li>
        <li>
          {tx('The address {name}', { name: <strong>{page.slug}</strong> })}
          {page.customDomain !== null && (
            <> {tx('and the domain {name}', { name: <strong>{page.customDomain}</strong> })}</>
          )}{' '}
          {t('become available to others.')}
        </li>
        {page.subscribersEnabled && <li>{t('Its subscribers are deleted.')}</li>}
        {count > 0 && (
          <li>{tx('{count} will no longer be shown on it.', { count: plural(count, 'published incident') })}</li>
        )}
        <li>{t('Monitors and their history are kept.')}</li>
      </ul>
    </Confirm>
  )
}
