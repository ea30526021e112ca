import { recordAuditEntry } from '../events/audit.ts'
import type { DbWork } from '../storage/query.ts'

interface AuditedCommand {
  readonly orgId: string
  /** The command, as it is typed. */
  readonly command: string
  readonly target: string
  readonly targetName: string
}

/** Work of a command on an organization's data, with the record that it was done. */
export function* audited<T>(work: DbWork<T>, done: (result: T) => AuditedCommand | undefined, now: number): DbWork<T> {
  const result = yield* work
  const what = done(result)
  if (what !== undefined) {
    const { orgId, command, target, targetName } = what
    yield* recordAuditEntry({
      ...{ orgId, action: command, target, targetName, fields: [], requestId: null, now },
      actor: { actor_type: 'COMMAND_LINE', actor_id: null, actor_name: 'pharos' },
    })
  }
  return result
}
