import { sql } from 'kysely'
import { notFound } from '../../contract/errors.ts'
import { parseStored } from '../../lib/json.ts'
import type { Reason } from '../../reasons/reason.ts'
import { reasonIn, storedReason } from '../../reasons/stored.ts'
import { addToList } from '../../storage/list-index.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { Failure, IncidentRow, TimelineEntry } from './render.ts'

interface NewIncident {
  orgId: string
  id: string
  seq: number
  num: number
  at: number
  cause: string
  causeCode: string
  failure: string
  timeline: string
}

const insert = statement((i: NewIncident) =>
  q.insertInto('incidents').values({
    org_id: i.orgId,
    id: i.id,
    seq: i.seq,
    num: i.num,
    started_at: i.at,
    resolved_at: null,
    cause: i.cause,
    cause_code: i.causeCode,
    acknowledged_at: null,
    acknowledged_by: null,
    failed_checks: 1,
    first_failure: i.failure,
    last_failure: i.failure,
    timeline: i.timeline,
  }),
)

/** A unique index allows one open incident per monitor. */
export function* openIncident(
  orgId: string,
  id: string,
  num: number,
  causeCode: string,
  failure: Failure,
): DbWork<void> {
  const { seq } = yield* addToList(orgId, 'incident')
  const timeline: TimelineEntry[] = [{ at: failure.at, type: 'OPENED', message: failure.error }]
  yield* run(insert, {
    orgId,
    id,
    seq,
    num,
    at: failure.at,
    cause: storedReason(reasonIn(failure.error)),
    causeCode,
    failure: JSON.stringify(failure),
    timeline: JSON.stringify(timeline),
  })
}

const addFailure = statement((i: { orgId: string; id: string; failure: string }) =>
  q
    .updateTable('incidents')
    .set({ failed_checks: sql<number>`failed_checks + 1`, last_failure: i.failure })
    .where('org_id', '=', i.orgId)
    .where('id', '=', i.id),
)

export function* countFailure(orgId: string, id: string, failure: Failure): DbWork<void> {
  yield* run(addFailure, { orgId, id, failure: JSON.stringify(failure) })
}

const resolve = statement((i: { orgId: string; id: string; at: number; timeline: string }) =>
  q
    .updateTable('incidents')
    .set({ resolved_at: i.at, timeline: i.timeline })
    .where('org_id', '=', i.orgId)
    .where('id', '=', i.id),
)

export function* resolveIncident(orgId: string, id: string, at: number, message: Reason): DbWork<void> {
  const row = yield* first(forChange, { orgId, id })
  if (row === undefined) return
  yield* run(resolve, { orgId, id, at, timeline: withEntry(row.timeline, { at, type: 'RESOLVED', message }) })
}

export function withEntry(timeline: string, entry: TimelineEntry): string {
  return JSON.stringify([...(parseStored(timeline) as TimelineEntry[]), entry])
}

/** A query that callers add filters to. */
export function incidentsOf(orgId: string) {
  return q
    .selectFrom('incidents as i')
    .innerJoin('monitors as m', 'm.num', 'i.num')
    .selectAll('i')
    .select(['m.id as monitor_id', 'm.name as monitor_name', 'm.type as monitor_type'])
    .where('i.org_id', '=', orgId)
}

interface OrgScopedId {
  orgId: string
  id: string
}

const byId = statement(({ orgId, id }: OrgScopedId) => incidentsOf(orgId).where('i.id', '=', id))

const forChange = statement(({ orgId, id }: OrgScopedId) => incidentsOf(orgId).where('i.id', '=', id).forUpdate('i'))

export function* incidentOf(orgId: string, id: string): DbWork<IncidentRow> {
  const row = yield* first(byId, { orgId, id })
  if (row === undefined) throw notFound('incident')
  return row
}

/** Locked until the end of the transaction. */
export function* incidentToChange(orgId: string, id: string): DbWork<IncidentRow> {
  const row = yield* first(forChange, { orgId, id })
  if (row === undefined) throw notFound('incident')
  return row
}
