import { lazy, Suspense } from 'preact/compat'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { useMonitorLabels } from '../../api/labels.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { termFor } from '../../lib/selector.ts'
import { Button } from '../../ui/button.tsx'
import { LabelChips } from '../../ui/label-chips.tsx'
import { Section } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/query-result.tsx'

const EditLabels = lazy(() => import('./edit-labels.tsx'))

/** The labels of a monitor on its page. A click on one lists all monitors with it. */
export function LabelsPanel({ id }: { id: string }) {
  const { may } = useOrganization()
  const [, navigate] = useLocation()
  const [isEditing, setEditing] = useState(false)
  const labels = useMonitorLabels(id)
  return (
    <Section
      title={t('Labels')}
      actions={
        may('MEMBER') &&
        labels.data !== undefined && <Button onClick={() => setEditing(true)}>{t('Edit labels')}</Button>
      }
    >
      <QueryResult query={labels} lines={1}>
        {({ labels: data }) => (
          <div class="card px-4 py-3">
            {Object.keys(data).length === 0 ? (
              <p class="text-muted">{t('No labels yet.')}</p>
            ) : (
              <LabelChips
                labels={data}
                onChoose={(label, value) => navigate(`/monitors?labels=${encodeURIComponent(termFor(label, value))}`)}
              />
            )}
          </div>
        )}
      </QueryResult>
      {isEditing && labels.data !== undefined && (
        <Suspense fallback={null}>
          <EditLabels id={id} labels={labels.data.labels} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </Section>
  )
}
