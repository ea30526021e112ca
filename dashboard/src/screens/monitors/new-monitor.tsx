import { useLocation } from 'wouter-preact'
import { useOrganization } from '../../api/organization.tsx'
import { useSearchState } from '../../lib/search.ts'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'
import { emptyDraft } from './draft.ts'
import { MonitorForm } from './monitor-form.tsx'
import { monitorTypes } from './types.ts'

const back = { href: '/monitors', label: 'Monitors' }

export default function NewMonitor() {
  const { may } = useOrganization()
  const [, navigate] = useLocation()
  const [search] = useSearchState()
  const type = monitorTypes.find(({ value }) => value === search.get('type'))?.value ?? 'HTTP'
  return (
    <Page title="New monitor" back={back} lead="What to check, how, and how often.">
      {may('MEMBER') ? (
        <MonitorForm
          initial={{ ...emptyDraft, type }}
          onCancel={() => navigate('/monitors')}
          onSaved={({ id, name }) => {
            showToast(`${name} created`)
            navigate(`/monitors/${id}`)
          }}
        />
      ) : (
        <EmptyState title="Viewers can’t add monitors" action={<LinkButton href="/monitors">Monitors</LinkButton>}>
          Ask an admin for the Member role.
        </EmptyState>
      )}
    </Page>
  )
}
