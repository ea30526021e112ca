import { DAY_MS } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { type DbWork, execute, q, run, statement } from '../storage/query.ts'
import type { AuditTable } from '../storage/schema/accounts.ts'

/** Somebody changed something: written in the transaction of the change, so that neither is there without the other. */
export interface AuditEntry {
  readonly orgId: string
  readonly actor: Pick<AuditTable, 'actor_type' | 'actor_id' | 'actor_name'>
  /** The operation, by its id. */
  readonly action: string
  /** The resource, by its id, and what it is called. */
  readonly target: string | null
  readonly targetName: string | null
  /** What was changed of it, by name alone: values may be secrets. */
  readonly fields: readonly string[]
  readonly requestId: string | null
  readonly now: number
}

const KEPT_MS = 365 * DAY_MS
const LONGEST = 200
const MOST_FIELDS = 100

const insert = statement((e: AuditTable) =>
  q.insertInto('audit_entries').values({
    org_id: e.org_id,
    id: e.id,
    at: e.at,
    actor_type: e.actor_type,
    actor_id: e.actor_id,
    actor_name: e.actor_name,
    action: e.action,
    target: e.target,
    target_name: e.target_name,
    fields: e.fields,
    request_id: e.request_id,
  }),
)

export function* recordAuditEntry({ actor, target, targetName, fields, now, ...change }: AuditEntry): DbWork<void> {
  yield* run(insert, {
    org_id: change.orgId,
    id: newId('aud', now),
    at: now,
    ...actor,
    action: change.action,
    target: target?.slice(0, LONGEST) ?? null,
    target_name: targetName?.slice(0, LONGEST) ?? null,
    fields: JSON.stringify(fields.slice(0, MOST_FIELDS)),
    request_id: change.requestId,
  })
}

/** Forgets what was changed more than a year ago, a few at a time; says how many. */
export function* pruneAuditEntries(now: number, limit: number): DbWork<number> {
  const old = yield* execute(
    q
      .deleteFrom('audit_entries')
      .where(
        'id',
        'in',
        q
          .selectFrom('audit_entries')
          .select('id')
          .where('at', '<=', now - KEPT_MS)
          .limit(limit),
      )
      .returning('id'),
  )
  return old.length
}
