import { useInfiniteQuery } from '@tanstack/preact-query'
import { X } from 'lucide-preact'
import { useId } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { nextOffset } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { dayOf, exactTime, timeOfDay } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'
import { MonitorSearch } from '../../ui/monitor-search.tsx'
import { EmptyState } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Select } from '../../ui/select.tsx'
import { ShowOlder } from '../../ui/show-older.tsx'
import { AuditSentence } from './audit-sentence.tsx'

type Entry = PublicSchemas['AuditEntry']

const PAGE = 50
const REFETCH_MS = 15_000
const DAY_MS = 86_400_000

const ages = [
  { value: '', label: t('Any time') },
  { value: '1', label: t('Last 24 hours') },
  { value: '7', label: t('Last 7 days') },
  { value: '30', label: t('Last 30 days') },
]

/** Audit log, newest first. */
export default function Audit() {
  const { api, key } = useOrganization()
  const [params, change] = useSearchState()
  const [actorId, target, days] = [params.get('who') ?? '', params.get('target') ?? '', params.get('days') ?? '']
  const log = useInfiniteQuery({
    queryKey: key('audit', actorId, target, days),
    queryFn: ({ pageParam: offset }: { pageParam: number }) => {
      const since = Number(days) > 0 && new Date(Date.now() - Number(days) * DAY_MS).toISOString()
      const query = {
        limit: PAGE,
        offset,
        ...(actorId && { actorId }),
        ...(target && { target }),
        ...(since && { since }),
      }
      return api.GET('/api/v1/audit-log', { query })
    },
    initialPageParam: 0,
    getNextPageParam: nextOffset,
    staleTime: 0,
    refetchInterval: REFETCH_MS,
  })
  return (
    <Page title={t('Audit log')} lead={t('Who changed what, kept for one year. Values and secrets aren’t logged.')}>
      <search class="mb-4 flex flex-wrap items-center gap-2">
        <ActorFilter value={actorId} onValue={(who) => change({ who })} />
        <Select aria-label={t('Since')} value={days} choices={ages} onValue={(next) => change({ days: next })} />
        {target === '' ? (
          <MonitorSearch
            class="input grow basis-40 sm:max-w-60"
            data-filter
            aria-label={t('Monitor')}
            placeholder={t('Filter by monitor  ( / )')}
            onChoose={(id) => change({ target: id })}
          />
        ) : (
          <Button icon={<X />} onClick={() => change({ target: null })}>
            {log.data?.pages[0]?.data[0]?.targetName ?? t('Monitor')}
          </Button>
        )}
      </search>
      <QueryResult query={log} lines={8}>
        {({ pages }) => <Days entries={entriesOf(pages)} isFiltered={actorId + target + days !== ''} />}
      </QueryResult>
      <ShowOlder query={log} />
    </Page>
  )
}

/** Pages that were read at different times overlap by the entries that were added between. */
function entriesOf(pages: readonly PublicSchemas['AuditLogPage'][]): readonly Entry[] {
  return [...new Map(pages.flatMap(({ data }) => data.map((entry) => [entry.id, entry]))).values()]
}

function ActorFilter({ value, onValue }: { value: string; onValue: (who: string | null) => void }) {
  const id = useId()
  const members = useGet('member', '/app/api/members')
  const keys = useGet('key', '/app/api/keys')
  return (
    <div class="flex min-w-0 max-w-full flex-wrap items-center gap-2">
      <label for={id} class="text-muted">
        {t('Changed by')}{' '}
      </label>
      <select
        id={id}
        class="input w-auto max-w-full sm:max-w-xs"
        value={value}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        <option value="">{t('Everyone')}</option>
        <optgroup label={t('Members')}>
          {members.data?.data.map(({ userId, name }) => (
            <option key={userId} value={userId}>
              {name}
            </option>
          ))}
        </optgroup>
        <optgroup label={t('API keys')}>
          {keys.data?.data.map(({ id: keyId, name, hint }) => (
            <option key={keyId} value={keyId}>
              {name} …{hint}
            </option>
          ))}
        </optgroup>
      </select>
    </div>
  )
}

function Days({ entries, isFiltered }: { entries: readonly Entry[]; isFiltered: boolean }) {
  if (entries.length === 0) {
    return (
      <EmptyState title={isFiltered ? t('No changes') : t('No changes yet')}>
        {t('Every change in this organization is listed here.')}
      </EmptyState>
    )
  }
  const days = Map.groupBy(entries, ({ at }) => dayOf(at))
  return (
    <div class="space-y-6">
      {[...days].map(([day, ofDay]) => (
        <section key={day}>
          <h2 class="mb-2 font-semibold">{day}</h2>
          <ol class="card divide-y divide-line">
            {ofDay.map((entry) => (
              <EntryRow key={entry.id} entry={entry} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

function EntryRow({ entry }: { entry: Entry }) {
  const { at } = entry
  return (
    <li class="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2.5">
      <time dateTime={at} title={exactTime(at)} class="w-24 shrink-0 text-xs whitespace-nowrap text-muted">
        {timeOfDay(new Date(at))}
      </time>
      <p class="min-w-0 grow basis-72 wrap-anywhere">
        <AuditSentence entry={entry} />
      </p>
    </li>
  )
}
