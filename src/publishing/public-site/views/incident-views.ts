import { parseStored } from '../../../lib/json.ts'
import type { DbWork } from '../../../storage/query.ts'
import type { AffectedStatus, PublishedIncidentTable } from '../../../storage/schema/status-pages.ts'
import type { PublishedRow } from '../../published-incidents/render.ts'
import type { Affected } from '../../published-incidents/schema.ts'
import { type UpdateRow, updatesOf } from '../queries/incidents.ts'

export type IncidentState = PublishedIncidentTable['status']

export interface UpdateView {
  readonly id: string
  readonly state: IncidentState
  /** Markdown. */
  readonly message: string
  readonly publishedAt: number
  /** Also monitors that are not on this page. */
  readonly affected: readonly Affected[]
}

export interface IncidentView {
  readonly id: string
  readonly title: string
  readonly state: IncidentState
  readonly impact: PublishedIncidentTable['impact']
  readonly startedAt: number
  readonly resolvedAt: number | null
  readonly updatedAt: number
  /** Markdown. */
  readonly postmortem: string | null
  /** Only monitors that are on this page. */
  readonly affected: readonly { readonly monitorId: string; readonly name: string; readonly status: AffectedStatus }[]
  /** Newest first. */
  readonly updates: readonly UpdateView[]
}

/** Adds the latest updates with one query. `names` are the display names of the page's monitors. */
export function* incidentViews(
  orgId: string,
  rows: readonly PublishedRow[],
  names: ReadonlyMap<string, string>,
  maxUpdates: number,
): DbWork<readonly IncidentView[]> {
  const ids = rows.map(({ id }) => id)
  const updates = Map.groupBy(yield* updatesOf(orgId, ids, maxUpdates), (update) => update.published_id)
  return rows.map((row) => ({
    id: row.id,
    title: row.title,
    state: row.status,
    impact: row.impact,
    startedAt: row.started_at,
    resolvedAt: row.resolved_at,
    updatedAt: row.updated_at,
    postmortem: row.postmortem,
    affected: (parseStored(row.affected) as Affected[]).flatMap(({ monitorId, status }) => {
      const name = names.get(monitorId)
      return name === undefined ? [] : [{ monitorId, name, status }]
    }),
    updates: (updates.get(row.id) ?? []).map(updateView),
  }))
}

function updateView({ id, status, message, published_at: publishedAt, affected }: UpdateRow): UpdateView {
  return { id, state: status, message, publishedAt, affected: parseStored(affected) }
}
