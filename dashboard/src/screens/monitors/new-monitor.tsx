import { useQuery } from '@tanstack/preact-query'
import { useLocation } from 'wouter-preact'
import { type PublicSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { useSearchState } from '../../lib/search.ts'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState, InfoNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { DelayedPlaceholder, PlaceholderLines, QueryResult } from '../../ui/query-result.tsx'
import { showToast } from '../../ui/toast.tsx'
import { defaultInterval, useUsage } from './default-interval.ts'
import { type Draft, draftOf, emptyDraft } from './draft.ts'
import { guessType, guessTypes, settingsFor, targetOf } from './guess-type.ts'
import { MonitorForm } from './monitor-form.tsx'
import { monitorTypes } from './types.ts'

const back = { href: '/monitors', label: 'Monitors' }

export default function NewMonitor() {
  const { may } = useOrganization()
  const [search] = useSearchState()
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
        <Blank />
      ) : (
        <Copy key={copiedFrom} id={copiedFrom} />
      )}
    </Page>
  )
}

/** With the type and the address of the URL, if they are there. */
function Blank() {
  const [search] = useSearchState()
  const usage = useUsage()
  const address = search.get('url') ?? ''
  const type = monitorTypes.find(({ value }) => value === search.get('type'))?.value
  const guessed = guessTypes.find((value) => value === type) ?? guessType(address)
  if (usage.data === undefined && !usage.isError)
    return (
      <DelayedPlaceholder>
        <PlaceholderLines count={10} />
      </DelayedPlaceholder>
    )
  const target =
    address === '' || guessed === null
      ? {}
      : { ...targetOf(guessed, address), name: settingsFor(guessed, address).name }
  const initial = {
    ...emptyDraft,
    ...(usage.data && { intervalSeconds: defaultInterval(usage.data.fastestIntervalSeconds) }),
    ...(type !== undefined && { type }),
    ...target,
  }
  return <NewForm initial={initial} asksForAddress={type === undefined} />
}

function NewForm(props: { initial: Draft; copiedFrom?: string; asksForAddress?: boolean }) {
  const { initial, copiedFrom, asksForAddress = false } = props
  const [, navigate] = useLocation()
  return (
    <MonitorForm
      initial={initial}
      asksForAddress={asksForAddress}
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
