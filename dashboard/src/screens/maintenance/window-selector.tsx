import { useQuery } from '@tanstack/preact-query'
import { unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SelectorForm } from '../../ui/selector-form.tsx'
import { showToast } from '../../ui/toast.tsx'

function useWindowSelector(id: string) {
  const { api, key } = useOrganization()
  const params = { path: { maintenanceId: id } }
  return useQuery({
    queryKey: key('maintenance', 'selector', id),
    queryFn: () => unwrap(api.GET('/api/v1/maintenance-windows/{maintenanceId}/selector', { params })),
  })
}

/** What a window without listed monitors covers. Nothing while it is loading. */
export function CoveredByLabels({ id }: { id: string }) {
  const { data } = useWindowSelector(id)
  if (data === undefined) return null
  return data.selector === null ? (
    <span>{t('No monitors')}</span>
  ) : (
    <span class="font-mono text-xs">{data.selector}</span>
  )
}

/** The monitors that a window covers by their labels. */
export function WindowSelector({ id }: { id: string }) {
  const { api, may, refresh } = useOrganization()
  const params = { path: { maintenanceId: id } }
  const selector = useWindowSelector(id)
  const save = async ([text = null]: readonly (string | null)[]) => {
    await unwrap(api.PUT('/api/v1/maintenance-windows/{maintenanceId}/selector', { params, body: { selector: text } }))
    await refresh('maintenance', 'monitor')
    showToast(t('Saved'))
  }
  return (
    <Section title={t('Monitors by label')}>
      <div class="card space-y-3 p-4">
        <p class="text-muted">{t('Also covers monitors whose labels match, including monitors labeled later.')}</p>
        <QueryResult query={selector} lines={2}>
          {(data) => (
            <SelectorForm
              key={data.selector}
              selectors={[{ label: t('Selector'), path: 'selector', selector: data.selector }]}
              disabled={!may('MEMBER')}
              onSave={save}
            />
          )}
        </QueryResult>
      </div>
    </Section>
  )
}
