import type { PublicSchemas } from '../../api/client.ts'
import { t } from '../../lib/i18n.ts'
import { overallStatusLabels } from '../../lib/labels.ts'
import { LabelledShape, type State } from '../../ui/state.tsx'
import { useSectionSelectors } from './section-selectors.ts'

export type StatusPage = PublicSchemas['StatusPage']

const looks: Readonly<Record<StatusPage['overallStatus'], { readonly look: State; readonly word: string }>> = {
  OPERATIONAL: { look: 'UP', word: overallStatusLabels.OPERATIONAL },
  MAINTENANCE: { look: 'MAINTENANCE', word: overallStatusLabels.MAINTENANCE },
  DEGRADED: { look: 'DEGRADED', word: overallStatusLabels.DEGRADED },
  PARTIAL_OUTAGE: { look: 'DOWN', word: overallStatusLabels.PARTIAL_OUTAGE },
  MAJOR_OUTAGE: { look: 'DOWN', word: overallStatusLabels.MAJOR_OUTAGE },
}

/** Overall status of a page. One without monitors is operational for the API. */
export function OverallStatusLabel({ page }: { page: Pick<StatusPage, 'id' | 'overallStatus' | 'sections'> }) {
  if (shownOn(page) > 0 || page.overallStatus !== 'OPERATIONAL') return <LabelledShape {...looks[page.overallStatus]} />
  return page.sections.length === 0 ? <NoMonitors /> : <StatusBySelectors id={page.id} />
}

function NoMonitors() {
  return <LabelledShape look="PENDING" word={t('No monitors yet')} />
}

/** A page that lists no monitors may show some by their labels. */
function StatusBySelectors({ id }: { id: string }) {
  const { data } = useSectionSelectors(id)
  if (data === undefined) return null
  return data.some(({ selector }) => selector !== null) ? <LabelledShape {...looks.OPERATIONAL} /> : <NoMonitors />
}

export function PublishedLabel({ page }: { page: Pick<StatusPage, 'published' | 'visibility'> }) {
  if (!page.published) return <LabelledShape look="PENDING" word={t('Not published')} />
  return (
    <LabelledShape
      look="UP"
      word={page.visibility === 'PASSWORD' ? t('Published, password-protected') : t('Published')}
    />
  )
}

function shownOn(page: Pick<StatusPage, 'sections'>): number {
  return new Set(page.sections.flatMap(({ monitors }) => monitors.map(({ monitorId }) => monitorId))).size
}
