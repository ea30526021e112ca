import { useQuery } from '@tanstack/preact-query'
import { unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { SelectorForm } from '../../ui/selector-form.tsx'
import { showToast } from '../../ui/toast.tsx'

/** The monitors that sections show by their labels. */
export function PageSelectors({ id }: { id: string }) {
  const { api, key, may, refresh } = useOrganization()
  const params = { path: { statusPageId: id } }
  const selectors = useQuery({
    queryKey: key('status_page', 'selectors', id),
    queryFn: () => unwrap(api.GET('/api/v1/status-pages/{statusPageId}/selectors', { params })),
  })
  return (
    <Section title={t('Monitors by label')}>
      <div class="card space-y-3 p-4">
        <p class="text-muted">
          {t('Sections also show monitors whose labels match, including monitors labeled later.')}
        </p>
        <QueryResult query={selectors} lines={2}>
          {({ sections }) => (
            <SelectorForm
              key={JSON.stringify(sections)}
              selectors={firstOfEachName(sections).map(({ name, selector }, i) => ({
                label: name,
                path: `sections.${i}.selector`,
                selector,
              }))}
              disabled={!may('MEMBER')}
              onSave={async (texts) => {
                const named = firstOfEachName(sections).map(({ name }, i) => ({ name, selector: texts[i] ?? null }))
                await unwrap(
                  api.PUT('/api/v1/status-pages/{statusPageId}/selectors', { params, body: { sections: named } }),
                )
                await refresh('status_page')
                showToast(t('Saved'))
              }}
            />
          )}
        </QueryResult>
      </div>
    </Section>
  )
}

/** Sections may have the same name; a selector belongs to the first one. */
function firstOfEachName<T extends { readonly name: string }>(sections: readonly T[]): readonly T[] {
  return sections.filter(({ name }, i) => sections.findIndex((one) => one.name === name) === i)
}
