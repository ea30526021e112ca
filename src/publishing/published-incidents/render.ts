import type { Static } from 'typebox'
import { parseStored } from '../../lib/json.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import type { PublishedIncidentTable, PublishedUpdateTable } from '../../storage/schema/status-pages.ts'
import type { PublishedIncident } from './schema.ts'

export type PublishedRow = Omit<PublishedIncidentTable, 'org_id' | 'seq' | 'update_count'>

export type UpdateRow = Omit<PublishedUpdateTable, 'org_id' | 'number'>

export type PublishedIncidentJson = Static<typeof PublishedIncident>

/** `updates` must be newest first. */
export function renderPublished(
  row: PublishedRow,
  pageIds: readonly string[],
  updates: readonly UpdateRow[],
): PublishedIncidentJson {
  return {
    id: row.id,
    title: row.title,
    status: row.status,
    impact: row.impact,
    statusPageIds: [...pageIds],
    affectedMonitors: parseStored(row.affected),
    incidentId: row.incident_id,
    startedAt: isoTimestamp(row.started_at),
    resolvedAt: isoTimestampOrNull(row.resolved_at),
    postmortem: row.postmortem,
    updates: updates.map((update) => ({
      id: update.id,
      status: update.status,
      message: update.message,
      affectedMonitors: parseStored(update.affected),
      publishedAt: isoTimestamp(update.published_at),
      createdAt: isoTimestamp(update.created_at),
    })),
    createdAt: isoTimestamp(row.created_at),
    updatedAt: isoTimestamp(row.updated_at),
  }
}
