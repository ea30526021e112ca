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
    <Page title="New monitor" back={back} lead="What should be watched, how, and how often.">
      {may('MEMBER') ? (
        <MonitorForm
          initial={{ ...emptyDraft, type }}
          onCancel={() => navigate('/monitors')}
          onSaved={({ id, name }) => {
            showToast(`${name} is being watched`)
            navigate(`/monitors/${id}`)
          }}
        />
      ) : (
        <EmptyState title="Viewers cannot make monitors" action={<LinkButton href="/monitors">Monitors</LinkButton>}>
          Ask an administrator of the organization for the role Member.
        </EmptyState>
      )}
    </Page>
  )
}
