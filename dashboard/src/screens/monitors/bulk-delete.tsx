import { useQuery } from '@tanstack/preact-query'
import { fetchAllPages } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { type BulkTarget, countOf, isMatching, useMonitorActions } from './actions.ts'
import { type NamedMonitor, useHiddenMonitors } from './delete-later.ts'

interface BulkDeleteProps {
  readonly target: BulkTarget
  readonly onDeleted: () => void
  readonly onClose: () => void
}

/** Confirms the deletion of several monitors. Exactly those that it names are deleted, also if others match meanwhile. */
export default function BulkDelete({ target, onDeleted, onClose }: BulkDeleteProps) {
  const { remove } = useMonitorActions()
  const matching = useMatching(isMatching(target) ? target.selector : undefined)
  const monitors = isMatching(target) ? matching.data : target
  const length = plural(monitors?.length ?? countOf(target), 'monitor')
  return (
    <Confirm
      title={t('Delete {length}?', { length })}
      action={t('Delete {length}', { length })}
      disabled={monitors === undefined || monitors.length === 0}
      onConfirm={async () => {
        remove(monitors ?? [])
        onDeleted()
      }}
      onClose={onClose}
    >
      <p>
        {t(
          'This permanently deletes their check history and incidents, and removes them from status pages and maintenance windows:',
        )}
      </p>
      <div class="mt-2">
        {monitors === undefined ? (
          <QueryResult query={matching} lines={3}>
            {() => null}
          </QueryResult>
        ) : (
          <ul class="max-h-40 list-disc overflow-y-auto ps-5">
            {monitors.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        )}
      </div>
    </Confirm>
  )
}

/** Listed once, when the dialog opens: what the user reads does not change. */
function useMatching(labels: string | undefined) {
  const { api, key } = useOrganization()
  const hidden = useHiddenMonitors()
  return useQuery({
    queryKey: key('names', 'to-delete', labels ?? ''),
    queryFn: async (): Promise<readonly NamedMonitor[]> => {
      const found = await fetchAllPages((page) =>
        api.GET('/api/v1/monitors', { query: { ...page, ...(labels !== undefined && { labels }) } }),
      )
      return found.filter(({ id }) => !hidden.has(id)).map(({ id, name }) => ({ id, name }))
    },
    enabled: labels !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}
