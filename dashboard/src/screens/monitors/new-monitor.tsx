import { useQuery } from '@tanstack/preact-query'
import { useLocation } from 'wouter-preact'
import { type PublicSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { useSearchState } from '../../lib/search.ts'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState, InfoNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type Draft, draftOf, emptyDraft } from './draft.ts'
import { MonitorForm } from './monitor-form.tsx'
import { monitorTypes } from './types.ts'

const back = { href: '/monitors', label: 'Monitors' }

export default function NewMonitor() {
  const { may } = useOrganization()
  const [search] = useSearchState()
  const type = monitorTypes.find(({ value }) => value === search.get('type'))?.value ?? 'HTTP'
  const copiedFrom = search.get('copy')
  return (
    <Page
      title={copiedFrom === null ? 'New monitor' : 'Duplicate monitor'}
      back={back}
      lead="What to check, how, and how often."
    >
      {!may('MEMBER') ? (
        <EmptyState title="Viewers can’t add monitors" action={<LinkButton href="/monitors">Monitors</LinkButton>}>
          Ask an admin for the Member role.
        </EmptyState>
      ) : copiedFrom === null ? (
        <NewForm initial={{ ...emptyDraft, type }} />
      ) : (
        <Copy key={copiedFrom} id={copiedFrom} />
      )}
    </Page>
  )
}

function NewForm({ initial, copiedFrom }: { initial: Draft; copiedFrom?: string }) {
  const [, navigate] = useLocation()
  return (
    <MonitorForm
      initial={initial}
      {...(copiedFrom !== undefined && { copiedFrom })}
      onCancel={() => navigate('/monitors')}
      onSaved={({ id, name }) => {
        showToast(`${name} created`)
        navigate(`/monitors/${id}`)
      }}
    />
  )
}

/** Members, who may create monitors, may also see their secrets, so a copy contains them. */
function Copy({ id }: { id: string }) {
  const { api, key } = useOrganization()
  const monitor = useQuery({
    queryKey: key('monitor', id),
    queryFn: () => unwrap(api.GET('/api/v1/monitors/{monitorId}', { params: { path: { monitorId: id } } })),
  })
  return (
    <QueryResult query={monitor} lines={10}>
      {(data) => (
        <>
          <div class="mb-4 max-w-3xl">
            <InfoNotice>{copyNote(data)}</InfoNotice>
          </div>
          <NewForm initial={{ ...draftOf(data), name: copyName(data.name) }} copiedFrom={id} />
        </>
      )}
    </QueryResult>
  )
}

function copyNote({ name, type }: PublicSchemas['Monitor']): string {
  const isWeb = type === 'HTTP' || type === 'KEYWORD'
  const settings = `Settings and alert contacts are copied from ${name}${isWeb ? ', including request headers and body' : ''}.`
  const rest = 'Its history, status pages and maintenance windows are not.'
  return type === 'CRON' ? `${settings} ${rest} The copy gets a heartbeat URL of its own.` : `${settings} ${rest}`
}

const SUFFIX = ' (copy)'
const MOST_CHARACTERS = 120

function copyName(name: string): string {
  return (
    [...name]
      .slice(0, MOST_CHARACTERS - SUFFIX.length)
      .join('')
      .trimEnd() + SUFFIX
  )
}
