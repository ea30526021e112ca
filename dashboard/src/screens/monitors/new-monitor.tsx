import { useLocation } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
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

const back = { href: '/monitors', label: t('Monitors') }

export default function NewMonitor() {
  const { may } = useOrganization()
  const [search] = useSearchState()
  const copiedFrom = search.get('copy')
  return (
    <Page
      title={copiedFrom === null ? t('New monitor') : t('Duplicate monitor')}
      back={back}
      lead={t('What to check, how, and how often.')}
    >
      {!may('MEMBER') ? (
        <EmptyState
          title={t('Viewers can’t add monitors')}
          action={<LinkButton href="/monitors">{t('Monitors')}</LinkButton>}
        >
          {t('Ask an admin for the Member role.')}
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
        showToast(t('{name} created', { name }))
        navigate(`/monitors/${id}`)
      }}
    />
  )
}

/** Members, who may create monitors, may also see their secrets, so a copy contains them. */
function Copy({ id }: { id: string }) {
  const monitor = useGet(['monitor', id], '/api/v1/monitors/{monitorId}', { path: { monitorId: id } })
  return (
    <QueryResult query={monitor} lines={10}>
      {(data) => (
        <>
          <InfoNotice class="mb-4 max-w-3xl">{copyNote(data)}</InfoNotice>
          <NewForm initial={{ ...draftOf(data), name: copyName(data.name) }} copiedFrom={id} />
        </>
      )}
    </QueryResult>
  )
}

function copyNote({ name, type }: PublicSchemas['Monitor']): string {
  const isWeb = type === 'HTTP' || type === 'KEYWORD'
  const settings = t('Settings and alert contacts are copied from {name}{value}.', {
    name,
    value: isWeb ? t(', including request headers and body') : '',
  })
  const rest = t('Its history, status pages and maintenance windows are not.')
  return type === 'CRON'
    ? t('{settings} {rest} The copy gets a heartbeat URL of its own.', { settings, rest })
    : `${settings} ${rest}`
}

const SUFFIX = t(' (copy)')
const MOST_CHARACTERS = 120

function copyName(name: string): string {
  return (
    [...name]
      .slice(0, MOST_CHARACTERS - SUFFIX.length)
      .join('')
      .trimEnd() + SUFFIX
  )
}
