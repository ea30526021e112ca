import type { Api } from '../../api/client.ts'
import { Mark } from '../../ui/mark.tsx'
import type { State } from '../../ui/state.tsx'

export type StatusPage = Api['StatusPage']

const looks: Readonly<Record<StatusPage['overallStatus'], { readonly look: State; readonly word: string }>> = {
  OPERATIONAL: { look: 'UP', word: 'All operational' },
  MAINTENANCE: { look: 'MAINTENANCE', word: 'Maintenance' },
  DEGRADED: { look: 'DEGRADED', word: 'Degraded' },
  PARTIAL_OUTAGE: { look: 'DEGRADED', word: 'Partial outage' },
  MAJOR_OUTAGE: { look: 'DOWN', word: 'Major outage' },
}

/** The one state that the page shows above everything else. */
export function OverallMark({ status }: { status: StatusPage['overallStatus'] }) {
  return <Mark {...looks[status]} />
}

export function PublishedMark({ page }: { page: Pick<StatusPage, 'published' | 'visibility'> }) {
  if (!page.published) return <Mark look="PENDING" word="Not published" />
  return <Mark look="UP" word={page.visibility === 'PASSWORD' ? 'Published, with password' : 'Published'} />
}

export function shownOn(page: Pick<StatusPage, 'sections'>): number {
  return new Set(page.sections.flatMap(({ monitors }) => monitors.map(({ monitorId }) => monitorId))).size
}
