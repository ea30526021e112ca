import type { Selectable } from 'kysely'
import type { Static } from 'typebox'
import { reasonField } from '../../contract/reason-fields.ts'
import { parseStored } from '../../lib/json.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import type { Reason } from '../../reasons/reason.ts'
import type { IncidentTable } from '../../storage/schema/monitors.ts'
import type { Incident, IncidentDetail } from './schema.ts'

/** What a failed check observed, as an incident stores it. */
export interface Failure {
  readonly at: number
  readonly statusCode: number | null
  readonly responseMs: number | null
  /** Of an old row: a sentence. */
  readonly error: Reason | string
  readonly ip: string | null
  readonly excerpt: string | null
}

export interface TimelineEntry {
  readonly at: number
  readonly type: 'OPENED' | 'ACKNOWLEDGED' | 'RESOLVED'
  readonly message: Reason | string
}

/** An incident's row with the rendered columns of its monitor. */
export type IncidentRow = Omit<Selectable<IncidentTable>, 'seq'> & {
  readonly monitor_id: string
  readonly monitor_name: string
  readonly monitor_type: string
}

export function renderIncident(row: IncidentRow): Static<typeof Incident> {
  const { started_at: startedAt, resolved_at: resolvedAt } = row
  return {
    id: row.id,
    monitor: { id: row.monitor_id, name: row.monitor_name, type: row.monitor_type as never },
    startedAt: isoTimestamp(startedAt),
    resolvedAt: isoTimestampOrNull(resolvedAt),
    durationSec: resolvedAt === null ? null : Math.round((resolvedAt - startedAt - row.paused_ms) / 1000),
    ...reasonField('cause', row.cause),
    acknowledged: row.acknowledged_at !== null,
  }
}

export function renderDetail(row: IncidentRow): Static<typeof IncidentDetail> {
  return {
    ...renderIncident(row),
    acknowledgedAt: isoTimestampOrNull(row.acknowledged_at),
    acknowledgedBy: row.acknowledged_by === null ? null : parseStored(row.acknowledged_by),
    causeCode: row.cause_code as never,
    failedChecks: row.failed_checks,
    firstFailure: failure(row.first_failure),
    lastFailure: failure(row.last_failure),
    timeline: (parseStored(row.timeline) as TimelineEntry[]).map(({ at, type, message }) => ({
      at: isoTimestamp(at),
      type,
      ...reasonField('message', message),
    })),
  }
}

function failure(text: string): Static<typeof IncidentDetail>['firstFailure'] {
  const { at, statusCode, responseMs, error, ip, excerpt } = parseStored(text) as Failure
  return { at: isoTimestamp(at), statusCode, responseMs, ...reasonField('error', error), ip, excerpt }
}
