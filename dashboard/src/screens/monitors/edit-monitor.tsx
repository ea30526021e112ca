import { useQuery } from '@tanstack/preact-query'
import { useLocation } from 'wouter-preact'
import { unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { showToast } from '../../ui/toast.tsx'
import { draftOf } from './draft.ts'
import { MonitorForm } from './monitor-form.tsx'

export default function EditMonitor({ id }: { id: string }) {
  const { api, key, may } = useOrganization()
  const [, navigate] = useLocation()
  const monitor = useQuery({
    queryKey: key('monitor', id),
    queryFn: () => unwrap(api.GET('/api/v1/monitors/{monitorId}', { params: { path: { monitorId: id } } })),
  })
  const here = `/monitors/${id}`
  const title = monitor.data === undefined ? 'Edit monitor' : `Edit ${monitor.data.name}`
  return (
    <Page title={title} back={{ href: here, label: monitor.data?.name ?? 'Monitor' }}>
      {may('MEMBER') ? (
        <QueryResult query={monitor} lines={10}>
          {(data) => (
            <MonitorForm
              initial={draftOf(data)}
              monitorId={id}
              onCancel={() => navigate(here)}
              onSaved={({ name }) => {
                showToast(`${name} saved`)
                navigate(here)
              }}
            />
          )}
        </QueryResult>
      ) : (
        <EmptyState title="Viewers can’t edit monitors" action={<LinkButton href={here}>Back</LinkButton>}>
          Ask an admin for the Member role.
        </EmptyState>
      )}
    </Page>
  )
}
