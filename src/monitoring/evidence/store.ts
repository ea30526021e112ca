import { parseStored } from '../../lib/json.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { afterGoodCheck, type MonitorEvidence } from './history.ts'
import type { IncidentEvidence } from './summarize.ts'
import type { GoodCheck } from './track.ts'

interface MonitorKey {
  readonly orgId: string
  readonly num: number
}

const byMonitor = statement(({ orgId, num }: MonitorKey) =>
  q.selectFrom('monitor_evidence').select('evidence').where('num', '=', num).where('org_id', '=', orgId),
)

const upsert = statement((e: MonitorKey & { evidence: string }) =>
  q
    .insertInto('monitor_evidence')
    .values({ num: e.num, org_id: e.orgId, evidence: e.evidence })
    .onConflict((conflict) => conflict.column('num').doUpdateSet({ evidence: e.evidence })),
)

export function* evidenceOf(orgId: string, num: number): DbWork<MonitorEvidence | null> {
  const row = yield* first(byMonitor, { orgId, num })
  if (row === undefined) return null
  const stored = parseStored(row.evidence) as MonitorEvidence
  // Rows of an earlier version count checks, not comparisons of fields: they learn anew.
  return stored.since === undefined ? { ...stored, since: stored.at, counts: {} } : stored
}

/** In the transaction that writes the monitor's state, so nobody else writes this row. */
export function* storeGoodCheck({ orgId, num }: MonitorKey, good: GoodCheck, at: number): DbWork<void> {
  const evidence = afterGoodCheck(yield* evidenceOf(orgId, num), good, at)
  yield* run(upsert, { orgId, num, evidence: JSON.stringify(evidence) })
}

interface IncidentKey {
  readonly orgId: string
  readonly id: string
}

const insertOfIncident = statement((e: IncidentKey & { evidence: string }) =>
  q.insertInto('incident_evidence').values({ org_id: e.orgId, incident_id: e.id, evidence: e.evidence }),
)

const byIncident = statement(({ orgId, id }: IncidentKey) =>
  q.selectFrom('incident_evidence').select('evidence').where('org_id', '=', orgId).where('incident_id', '=', id),
)

/** An incident keeps the evidence of its opening, which stays true when the monitor's own changes. */
export function* storeIncidentEvidence(orgId: string, id: string, evidence: IncidentEvidence): DbWork<void> {
  yield* run(insertOfIncident, { orgId, id, evidence: JSON.stringify(evidence) })
}

export function* evidenceOfIncident(orgId: string, id: string): DbWork<IncidentEvidence | null> {
  const row = yield* first(byIncident, { orgId, id })
  return row === undefined ? null : (parseStored(row.evidence) as IncidentEvidence)
}
