import { useQuery } from '@tanstack/preact-query'
import { unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SelectorForm } from '../../ui/selector-form.tsx'
import { showToast } from '../../ui/toast.tsx'

/** The monitors that a window covers by their labels. */
export function WindowSelector({ id }: { id: string }) {
  const { api, key, may, refresh } = useOrganization()
  const params = { path: { maintenanceId: id } }
  const selector = useQuery({
    queryKey: key('maintenance', 'selector', id),
    queryFn: () => unwrap(api.GET('/api/v1/maintenance-windows/{maintenanceId}/selector', { params })),
  })
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
