import { type AuditEntry, recordAuditEntry } from '../events/audit.ts'
import type { DbWork } from '../storage/query.ts'

interface AuditedCommand {
  readonly orgId: string
  /** As typed: `keys create`. */
  readonly command: string
  readonly target: string
  readonly targetName: string
}

export function byCommandLine(now: number): Pick<AuditEntry, 'actor' | 'requestId' | 'now'> {
  return { actor: { actor_type: 'COMMAND_LINE', actor_id: null, actor_name: 'pharos' }, requestId: null, now }
}

/** Does a command's work and adds its entry to the organization's audit log, in the same transaction. */
export function* audited<T>(
  work: DbWork<T>,
  entryFor: (result: T) => AuditedCommand | undefined,
  now: number,
): DbWork<T> {
  const result = yield* work
  const entry = entryFor(result)
  if (entry !== undefined) {
    const { orgId, command, target, targetName } = entry
    yield* recordAuditEntry({ orgId, action: command, target, targetName, fields: [], ...byCommandLine(now) })
  }
  return result
}
