import { parseStored } from '../../lib/json.ts'
import { batch, sendAll, usingRows } from '../../storage/batch.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import { dnsDetailsAfter } from './dns-history.ts'
import type { DetailsChange, StoredDetails } from './types.ts'

interface MonitorKey {
  orgId: string
  num: number
}

const byMonitor = statement(({ orgId, num }: MonitorKey) =>
  q.selectFrom('monitor_details').select(['at', 'details']).where('num', '=', num).where('org_id', '=', orgId),
)

const upsert = statement((d: MonitorKey & { at: number; details: string }) =>
  q
    .insertInto('monitor_details')
    .values({ num: d.num, org_id: d.orgId, at: d.at, details: d.details })
    .onConflict((conflict) => conflict.column('num').doUpdateSet({ at: d.at, details: d.details })),
)

const deleteDetails = batch<MonitorKey>({ orgId: 'text', num: 'bigint' }, (m, rows) =>
  usingRows(q.deleteFrom('monitor_details as d'), rows).where('d.num', '=', m.num).where('d.org_id', '=', m.orgId),
)

const deleteEvidence = batch<MonitorKey>({ orgId: 'text', num: 'bigint' }, (m, rows) =>
  usingRows(q.deleteFrom('monitor_evidence as e'), rows).where('e.num', '=', m.num).where('e.org_id', '=', m.orgId),
)

export interface DetailsOfMonitor {
  /** When they were written: at every change, certificates at least once a day. */
  readonly at: number
  readonly details: StoredDetails
}

export function* detailsOf(orgId: string, num: number): DbWork<DetailsOfMonitor | undefined> {
  const row = yield* first(byMonitor, { orgId, num })
  return row && { at: row.at, details: parseStored(row.details) as StoredDetails }
}

/** In the transaction that writes the monitor's state, so nobody else writes these details. */
export function* storeDetails({ orgId, num }: MonitorKey, change: DetailsChange, at: number): DbWork<void> {
  let details: StoredDetails
  if (change.kind === 'found') details = change.found
  else {
    const stored = (yield* detailsOf(orgId, num))?.details
    details = dnsDetailsAfter(stored?.kind === 'dns' ? stored : null, change, at)
  }
  yield* run(upsert, { orgId, num, at, details: JSON.stringify(details) })
}

/** For monitors that are deleted or get a new target, with their evidence. */
export function* removeDetails(orgId: string, nums: readonly number[]): DbWork<void> {
  const keys = nums.map((num) => ({ orgId, num }))
  yield* sendAll(deleteDetails, keys)
  yield* sendAll(deleteEvidence, keys)
}
