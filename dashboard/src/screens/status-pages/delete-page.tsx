import { useQuery } from '@tanstack/preact-query'
import { useLocation } from 'wouter-preact'
import { unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural } from '../../lib/format.ts'
import { markSaved, writeDraft } from '../../lib/unsaved-forms.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useDraftKey } from '../../ui/use-form-draft.ts'
import type { StatusPage } from './overall-status.tsx'

export function DeletePage({ page, onClose }: { page: StatusPage; onClose: () => void }) {
  const { api, key, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const draftKey = useDraftKey(`status-page.${page.id}`)
  const incidents = useQuery({
    queryKey: key('status_incident', 'count', page.id),
    queryFn: () =>
      unwrap(api.GET('/api/v1/status-incidents', { params: { query: { statusPageId: page.id, limit: 1 } } })),
  })
  const count = incidents.data?.pagination.total ?? 0
  const remove = async () => {
    await unwrap(api.DELETE('/api/v1/status-pages/{statusPageId}', { params: { path: { statusPageId: page.id } } }))
    writeDraft(draftKey, null)
    markSaved(draftKey)
    showToast('Status page deleted')
    navigate('/status-pages')
    void refresh('status_page', 'status_incident')
  }
  return (
    <Confirm
      title={`Delete ${page.name}?`}
      action="Delete permanently"
      typed={page.slug}
      onConfirm={remove}
      onClose={onClose}
    >
      <ul class="ms-5 list-disc space-y-1">
        <li>The page, its feeds, calendar and badge stop working.</li>
        <li>
          The address <strong>{page.slug}</strong>
          {page.customDomain !== null && (
            <>
              {' '}
              and the domain <strong>{page.customDomain}</strong>
            </>
          )}{' '}
          become available to others.
        </li>
        {page.subscribersEnabled && <li>Its subscribers are deleted.</li>}
        {count > 0 && <li>{plural(count, 'published incident')} will no longer be shown on it.</li>}
        <li>Monitors and their history are kept.</li>
      </ul>
    </Confirm>
  )
}
