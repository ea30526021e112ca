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
  return { actor: { type: 'COMMAND_LINE', id: null, name: 'pharos' }, requestId: null, now }
}

/** Adds an entry to the audit log of the organization. Belongs in the transaction of the change. */
export function* recordCommand({ command, ...entry }: AuditedCommand, now: number): DbWork<void> {
  yield* recordAuditEntry({ ...entry, action: command, ...byCommandLine(now) })
}
