import { useState } from 'preact/hooks'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { selectorIn } from '../../lib/selector.ts'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SelectorField } from '../../ui/selector-field.tsx'
import { showToast } from '../../ui/toast.tsx'

function useWindowSelector(id: string) {
  const path = { maintenanceId: id }
  return useGet('maintenance', '/api/v1/maintenance-windows/{maintenanceId}/selector', { path })
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
  const query = useWindowSelector(id)
  return (
    <Section title={t('Monitors by label')}>
      <div class="card space-y-3 p-4">
        <p class="text-muted">{t('Also covers monitors whose labels match, including monitors labeled later.')}</p>
        <QueryResult query={query} lines={2}>
          {({ selector }) => <SelectorForm key={selector} id={id} saved={selector ?? ''} />}
        </QueryResult>
      </div>
    </Section>
  )
}

function SelectorForm({ id, saved }: { id: string; saved: string }) {
  const { api, may, refresh } = useOrganization()
  const [text, setText] = useState(saved)
  const isReader = !may('MEMBER')
  const field = (
    <SelectorField label={t('Selector')} path="selector" value={text} onValue={setText} disabled={isReader} />
  )
  if (isReader) return field
  const save = async () => {
    const [path, body] = [{ maintenanceId: id }, { selector: selectorIn(text) }]
    await api.PUT('/api/v1/maintenance-windows/{maintenanceId}/selector', { path, body })
    await refresh('maintenance', 'monitor')
    showToast(t('Saved'))
  }
  return (
    <Form onSubmit={save} action={t('Save selector')}>
      {field}
    </Form>
  )
}
