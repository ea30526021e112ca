import { useQuery } from '@tanstack/preact-query'
import { Megaphone } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { useGet } from '../../api/get.ts'
import { fetchAllPages, useAllStatusPages } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { number, separated } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { LinkButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { choicesOf } from '../../ui/select.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { ImpactLabel, type Published, StatusLabel } from './labels.tsx'

const PER_PAGE = 25
const active = ['INVESTIGATING', 'IDENTIFIED', 'MONITORING'] as const

/** Active and past published incidents. */
export default function PublishedIncidents() {
  const { api, key, may } = useOrganization()
  const [params, change] = useSearchState()
  const show = params.get('show') === 'resolved' ? 'resolved' : 'active'
  const offset = Math.max(0, Number(params.get('offset')) || 0)
  const now = useQuery({
    queryKey: key('status_incident', 'active'),
    queryFn: async () => {
      const ask = (status: (typeof active)[number]) =>
        fetchAllPages((page) => api.GET('/api/v1/status-incidents', { query: { ...page, status } }))
      const found = (await Promise.all(active.map(ask))).flat()
      return found.sort((a, b) => b.startedAt.localeCompare(a.startedAt))
    },
  })
  const over = useGet('status_incident', '/api/v1/status-incidents', {
    query: { status: 'RESOLVED', limit: PER_PAGE, offset },
  })
  return (
    <Page
      title={t('Published incidents')}
      wide
      lead={summaryOf(now.data?.length, over.data?.pagination.total)}
      actions={may('MEMBER') && <Publish />}
    >
      <div class="mb-4">
        <SegmentedControl
          label={t('Status')}
          value={show}
          choices={choicesOf({ active: t('Active'), resolved: t('Resolved') })}
          onValue={(value) => change({ show: value === 'active' ? null : value, offset: null })}
        />
      </div>
      {show === 'active' ? (
        <QueryResult query={now}>
          {(list) => (list.length === 0 ? <NoneActive mayWrite={may('MEMBER')} /> : <List incidents={list} />)}
        </QueryResult>
      ) : (
        <QueryResult query={over}>
          {({ data, pagination }) => (
            <>
              {data.length === 0 ? (
                <EmptyState title={t('No resolved incidents yet')}>
                  {t('Resolved incidents are listed here.')}
                </EmptyState>
              ) : (
                <List incidents={data} />
              )}
              <Pager {...pagination} onOffset={(next) => change({ offset: next === 0 ? null : String(next) })} />
            </>
          )}
        </QueryResult>
      )}
    </Page>
  )
}

function summaryOf(active: number | undefined, resolved: number | undefined): string {
  if (active === undefined || resolved === undefined) return t('Incidents on your status pages.')
  const now = active === 0 ? t('No active incidents') : plural(active, 'active incident')
  return t('{now}, {resolved} resolved', { now, resolved: number(resolved) })
}

function Publish() {
  return (
    <LinkButton href="/published/new" look="primary" icon={<Megaphone />}>
      {t('Publish incident')}
    </LinkButton>
  )
}

function NoneActive({ mayWrite }: { mayWrite: boolean }) {
  return (
    <EmptyState title={t('No incidents on your status pages right now')} action={mayWrite && <Publish />}>
      {mayWrite
        ? t('Publish an incident to tell visitors of your status pages about a problem.')
        : t('Incidents that members publish on your status pages appear here.')}
    </EmptyState>
  )
}

function List({ incidents }: { incidents: readonly Published[] }) {
  const pages = useAllStatusPages()
  const nameOf = (id: string) => pages.data?.find((page) => page.id === id)?.name ?? '…'
  return (
    <ul class="card divide-y divide-line">
      {incidents.map((incident) => (
        <li key={incident.id} class="relative flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3 hover:bg-ground">
          <div class="min-w-0 grow basis-72">
            <Link href={`/published/${incident.id}`} class="font-semibold after:absolute after:inset-0">
              {incident.title}
            </Link>
            <p class="mt-0.5 text-muted">
              {incident.statusPageIds.length === 0
                ? t('Not on any status page')
                : t('On {value}', { value: separated(incident.statusPageIds.map(nameOf)) })}
              {incident.affectedMonitors.length > 0 &&
                t(' · {length} affected', { length: plural(incident.affectedMonitors.length, 'monitor') })}
            </p>
          </div>
          <div class="flex flex-wrap items-center gap-x-4 gap-y-1">
            <ImpactLabel impact={incident.impact} />
            <StatusLabel status={incident.status} />
            <span class="text-muted">
              {incident.resolvedAt === null && t('last update ')}
              <RelativeTime at={incident.resolvedAt ?? incident.updates[0]?.publishedAt ?? incident.startedAt} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  )
}
