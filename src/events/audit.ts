import { DAY_MS } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { insertBatch, sendAll } from '../storage/batch.ts'
import { type DbWork, send } from '../storage/query.ts'
import { pruning } from '../storage/queue/prune.ts'
import type { AuditTable } from '../storage/schema/accounts.ts'

/** A change made by somebody. It is recorded in the transaction of the change. */
export interface AuditEntry {
  readonly orgId: string
  readonly actor: {
    readonly type: AuditTable['actor_type']
    readonly id: string | null
    readonly name: string
  }
  /** The id of the operation. */
  readonly action: string
  /** The id of the resource. */
  readonly target: string | null
  readonly targetName: string | null
  /** Names of the changed fields; none by default. Values are not recorded, because they may be secrets. */
  readonly fields?: readonly string[]
  readonly requestId: string | null
  readonly now: number
}

const MAX_TEXT_LENGTH = 200
const MAX_FIELDS = 100

const insert = insertBatch('audit_entries', {
  org_id: 'text',
  id: 'text',
  at: 'bigint',
  actor_type: 'text',
  actor_id: 'text',
  actor_name: 'text',
  action: 'text',
  target: 'text',
  target_name: 'text',
  fields: 'text',
  request_id: 'text',
})

export function* recordAuditEntry(entry: AuditEntry): DbWork<void> {
  yield* send(insert.each, rowOf(entry))
}

/** Records the changes of several resources in one statement. */
export function* recordAuditEntries(entries: readonly AuditEntry[]): DbWork<void> {
  yield* sendAll(insert, entries.map(rowOf))
}

function rowOf({ actor, target, targetName, fields = [], now, ...entry }: AuditEntry): AuditTable {
  return {
    org_id: entry.orgId,
    id: newId('aud', now),
    at: now,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    action: entry.action,
    target: target?.slice(0, MAX_TEXT_LENGTH) ?? null,
    target_name: targetName?.slice(0, MAX_TEXT_LENGTH) ?? null,
    fields: JSON.stringify(fields.slice(0, MAX_FIELDS)),
    request_id: entry.requestId,
  }
}

/** Deletes at most `limit` entries older than a year and returns their number. */
export const pruneAuditEntries = pruning({
  table: 'audit_entries',
  key: ['org_id', 'id'],
  by: 'at',
  keptMs: 365 * DAY_MS,
})
