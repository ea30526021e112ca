import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { Plus } from 'lucide-preact'
import { RequestError } from '../../api/api-error.ts'
import type { Clients, PublicSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { EmptyState, InfoNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { AlertBanner } from './alert-banner.tsx'
import { useHiddenMonitors } from './delete-later.ts'
import { ListFilters } from './list-filters.tsx'
import { isFiltered, type ListState, listParams, useListState } from './list-query.ts'
import { MonitorList } from './monitor-list.tsx'

const PAGE = 50

export default function Monitors() {
  const { api, key, may } = useOrganization()
  const [list, change] = useListState()
  const hidden = useHiddenMonitors()
  const query = listParams(list, PAGE)
  const listKey = JSON.stringify(query)
  const monitorList = useQuery({
    queryKey: key('monitor', 'monitor-list', listKey),
    queryFn: ({ signal }) => monitorListOf(api, query, signal),
    placeholderData: keepPreviousData,
  })
  const hiddenHere = (monitorList.data?.data ?? []).filter(({ id }) => hidden.has(id)).length
  const isEmpty =
    monitorList.data !== undefined && totalOf(monitorList.data) === 0 && !isFiltered(list) && list.offset === 0
  const clear = () => change({ q: '', state: '', type: '', labels: '', maintenance: false, uncovered: false })
  return (
    <Page
      title={t('Monitors')}
      wide
      lead={
        monitorList.data === undefined || (isEmpty && !may('MEMBER'))
          ? undefined
          : leadOf(totalOf(monitorList.data) - hiddenHere, list)
      }
      actions={
        may('MEMBER') && (
          <LinkButton href="/monitors/new" look="primary" icon={<Plus />}>
            {t('New monitor')}
          </LinkButton>
        )
      }
    >
      <AlertBanner />
      <div class="@container">
        {!isEmpty && <ListFilters list={list} onChange={change} counts={monitorList.data?.counts} />}
        {monitorList.data?.groupFault !== undefined && (
          <InfoNotice class="mb-3">{monitorList.data.groupFault}</InfoNotice>
        )}
        <QueryResult query={monitorList} lines={10}>
          {(data) =>
            data.data.length === hiddenHere && (list.offset > 0 || totalOf(data) === hiddenHere) ? (
              <NothingListed list={list} onClear={clear} onFirst={() => change({ offset: 0 })} />
            ) : (
              <>
                <MonitorList
                  monitorList={data}
                  rows={data.data.filter(({ id }) => !hidden.has(id))}
                  list={data.groupFault === undefined ? list : { ...list, group: '' }}
                  onChange={change}
                  listKey={monitorList.isPlaceholderData ? 'coming' : listKey}
                  isOld={monitorList.isPlaceholderData}
                />
                <Pager {...data.pagination} onOffset={(offset) => change({ offset })} />
              </>
            )
          }
        </QueryResult>
      </div>
    </Page>
  )
}

/** Without groups, if the label has too many values to group by. */
async function monitorListOf(
  api: Clients['api'],
  query: ReturnType<typeof listParams>,
  signal: AbortSignal,
): Promise<PublicSchemas['MonitorList'] & { groupFault?: string }> {
  try {
    return await api.GET('/api/v1/monitor-list', { query, signal })
  } catch (problem) {
    const fault = problem instanceof RequestError ? problem.at('group') : undefined
    if (fault === undefined) throw problem
    const { group: _group, collapsed: _collapsed, ...ungrouped } = query
    const monitorList = await api.GET('/api/v1/monitor-list', { query: ungrouped, signal })
    return { ...monitorList, groupFault: `${fault}.` }
  }
}

/** With the monitors of collapsed groups. */
function totalOf({ groups, pagination }: PublicSchemas['MonitorList']): number {
  return groups.length === 0 ? pagination.total : groups.reduce((sum, { total }) => sum + total, 0)
}

function leadOf(total: number, list: ListState): string {
  if (isFiltered(list)) {
    return total === 0 ? t('No matches') : plural(total, 'match', 'matches')
  }
  if (total === 0) return t('No monitors yet')
  const isUrgency = list.sort === 'state' && list.order === 'asc'
  return `${plural(total, 'monitor')}${isUrgency ? t(', problems first') : ''}`
}

function NothingListed(props: { list: ListState; onClear: () => void; onFirst: () => void }) {
  const { list, onClear, onFirst } = props
  const { may } = useOrganization()
  if (isFiltered(list)) {
    return (
      <EmptyState title={t('No matching monitors')} action={<Button onClick={onClear}>{t('Clear filters')}</Button>}>
        {t('Try another name, target, type, label or status.')}
      </EmptyState>
    )
  }
  if (list.offset > 0) {
    return (
      <EmptyState title={t('No more monitors')} action={<Button onClick={onFirst}>{t('First page')}</Button>}>
        {t('This page of the list is empty.')}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title={may('MEMBER') ? t('Add your first monitor') : t('No monitors yet')}
      action={
        may('MEMBER') && (
          <div class="flex flex-wrap justify-center gap-2">
            <LinkButton href="/welcome" look="primary">
              {t('Add monitor')}
            </LinkButton>
            <LinkButton href="/settings/import">{t('Import from another tool')}</LinkButton>
          </div>
        )
      }
    >
      {may('MEMBER')
        ? t('Add a website, a host or a cron job and get alerts when it stops working.')
        : t('Members of this organization can add monitors. You can see them here.')}
    </EmptyState>
  )
}
