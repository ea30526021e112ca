import type { PublicSchemas } from '../../api/client.ts'
import { LabelledShape } from '../../ui/labelled-shape.tsx'
import type { State } from '../../ui/state.tsx'

export type StatusPage = PublicSchemas['StatusPage']

const looks: Readonly<Record<StatusPage['overallStatus'], { readonly look: State; readonly word: string }>> = {
  OPERATIONAL: { look: 'UP', word: 'All operational' },
  MAINTENANCE: { look: 'MAINTENANCE', word: 'Maintenance' },
  DEGRADED: { look: 'DEGRADED', word: 'Degraded' },
  PARTIAL_OUTAGE: { look: 'DEGRADED', word: 'Partial outage' },
  MAJOR_OUTAGE: { look: 'DOWN', word: 'Major outage' },
}

/** Overall status of a page. */
export function OverallStatusLabel({ status }: { status: StatusPage['overallStatus'] }) {
  return <LabelledShape {...looks[status]} />
}

export function PublishedLabel({ page }: { page: Pick<StatusPage, 'published' | 'visibility'> }) {
  if (!page.published) return <LabelledShape look="PENDING" word="Not published" />
  return <LabelledShape look="UP" word={page.visibility === 'PASSWORD' ? 'Published, with password' : 'Published'} />
}

export function shownOn(page: Pick<StatusPage, 'sections'>): number {
  return new Set(page.sections.flatMap(({ monitors }) => monitors.map(({ monitorId }) => monitorId))).size
}
