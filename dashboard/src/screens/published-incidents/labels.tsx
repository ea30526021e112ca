import type { PublicSchemas } from '../../api/client.ts'
import { componentStatusLabels, impactLabels, incidentStatusLabels } from '../../lib/labels.ts'
import { LabelledShape, type State } from '../../ui/state.tsx'

export type Published = PublicSchemas['PublishedIncident']
export type Status = Published['status']
export type Impact = Published['impact']
export type Affected = Published['affectedMonitors'][number]

/** In the order of an incident's progress. */
export const statuses: readonly { readonly value: Status; readonly label: string }[] = [
  { value: 'INVESTIGATING', label: incidentStatusLabels.INVESTIGATING },
  { value: 'IDENTIFIED', label: incidentStatusLabels.IDENTIFIED },
  { value: 'MONITORING', label: incidentStatusLabels.MONITORING },
  { value: 'RESOLVED', label: incidentStatusLabels.RESOLVED },
]

export const impacts: readonly { readonly value: Impact; readonly label: string }[] = [
  { value: 'NONE', label: impactLabels.NONE },
  { value: 'MINOR', label: impactLabels.MINOR },
  { value: 'MAJOR', label: impactLabels.MAJOR },
  { value: 'CRITICAL', label: impactLabels.CRITICAL },
]

export const conditions: readonly { readonly value: Affected['status']; readonly label: string }[] = [
  { value: 'MAJOR_OUTAGE', label: componentStatusLabels.MAJOR_OUTAGE },
  { value: 'PARTIAL_OUTAGE', label: componentStatusLabels.PARTIAL_OUTAGE },
  { value: 'DEGRADED', label: componentStatusLabels.DEGRADED },
  { value: 'OPERATIONAL', label: componentStatusLabels.OPERATIONAL },
]

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
