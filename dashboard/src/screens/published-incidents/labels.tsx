import type { PublicSchemas } from '../../api/client.ts'
import { LabelledShape } from '../../ui/labelled-shape.tsx'
import type { State } from '../../ui/state.tsx'

export type Published = PublicSchemas['PublishedIncident']
export type Status = Published['status']
export type Impact = Published['impact']
export type Affected = Published['affectedMonitors'][number]

/** In the order of an incident's progress. */
export const statuses: readonly { readonly value: Status; readonly label: string }[] = [
  { value: 'INVESTIGATING', label: 'Investigating' },
  { value: 'IDENTIFIED', label: 'Identified' },
  { value: 'MONITORING', label: 'Monitoring' },
  { value: 'RESOLVED', label: 'Resolved' },
]

export const impacts: readonly { readonly value: Impact; readonly label: string }[] = [
  { value: 'NONE', label: 'No impact' },
  { value: 'MINOR', label: 'Minor impact' },
  { value: 'MAJOR', label: 'Major impact' },
  { value: 'CRITICAL', label: 'Critical impact' },
]

export const conditions: readonly { readonly value: Affected['status']; readonly label: string }[] = [
  { value: 'MAJOR_OUTAGE', label: 'Major outage' },
  { value: 'PARTIAL_OUTAGE', label: 'Partial outage' },
  { value: 'DEGRADED', label: 'Degraded' },
  { value: 'OPERATIONAL', label: 'Operational' },
]

function labelIn<T extends string>(list: readonly { value: T; label: string }[], value: T): string {
  return list.find((one) => one.value === value)?.label ?? value
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
  return <LabelledShape look={status === 'RESOLVED' ? 'UP' : 'DEGRADED'} word={labelIn(statuses, status)} />
}

export function ImpactLabel({ impact }: { impact: Impact }) {
  return <LabelledShape look={looks[impact] as State} word={labelIn(impacts, impact)} />
}

export function ConditionLabel({ status }: { status: Affected['status'] }) {
  return <LabelledShape look={looks[status] as State} word={labelIn(conditions, status)} />
}
