import type { PublicSchemas } from '../../api/client.ts'
import { componentStatusLabels, impactLabels, incidentStatusLabels } from '../../lib/labels.ts'
import { choicesOf } from '../../ui/select.tsx'
import { LabelledShape, type State } from '../../ui/state.tsx'

export type Published = PublicSchemas['PublishedIncident']
export type Status = Published['status']
export type Impact = Published['impact']
export type Affected = Published['affectedMonitors'][number]

/** In the order of an incident's progress. */
export const statuses = choicesOf<Status>(incidentStatusLabels)
export const impacts = choicesOf<Impact>(impactLabels)
export const conditions = choicesOf<Affected['status']>(componentStatusLabels)

/** For a request: only what was changed, so that changes by others are kept. */
export function changedAffected(incident: Published, affected: readonly Affected[]) {
  const isSame = JSON.stringify(affected) === JSON.stringify(incident.affectedMonitors)
  return isSame ? {} : { affectedMonitors: [...affected] }
}

const looks: Readonly<Record<string, State>> = {
  NONE: 'PENDING',
  MINOR: 'DEGRADED',
  MAJOR: 'DOWN',
  CRITICAL: 'DOWN',
  OPERATIONAL: 'UP',
  DEGRADED: 'DEGRADED',
  PARTIAL_OUTAGE: 'DEGRADED',
  MAJOR_OUTAGE: 'DOWN',
}

export function StatusLabel({ status }: { status: Status }) {
  return <LabelledShape look={status === 'RESOLVED' ? 'UP' : 'DEGRADED'} word={incidentStatusLabels[status]} />
}

export function ImpactLabel({ impact }: { impact: Impact }) {
  return <LabelledShape look={looks[impact] as State} word={impactLabels[impact]} />
}

export function ConditionLabel({ status }: { status: Affected['status'] }) {
  return <LabelledShape look={looks[status] as State} word={componentStatusLabels[status]} />
}
