import { actorOf } from '../../contract/actor.ts'
import type { OperationContext, Operation } from '../../contract/operation.ts'
import { isObject } from '../../contract/validate.ts'
import { recordAuditEntry } from '../../events/audit.ts'
import { resourceKindOf } from '../../lib/ids.ts'
import { notifyWatchers, type DbWork } from '../../storage/query.ts'
import type { OperationInput } from './input.ts'

/**
 * Records a change of an organization's data, whoever made it and whichever way, and tells those who are watching. `text` is
 * the answer.
 */
export function* audit(operation: Operation, call: OperationContext, input: OperationInput, text: string): DbWork<void> {
  const { caller, requestId, now } = call
  // What somebody does for themselves is no organization's business; what concerns one is recorded where it is done.
  if (caller === undefined || operation.skipsAudit === true) return
  const { type, id, name } = actorOf(caller)
  const body = isObject(input.body) ? input.body : {}
  const target = namedIn(input.params) ?? idIn(text)
  if (target !== null) yield* notifyWatchers({ orgId: caller.orgId, kind: resourceKindOf(target), id: target })
  yield* recordAuditEntry({
    orgId: caller.orgId,
    actor: { actor_type: type, actor_id: id, actor_name: name },
    action: operation.id,
    target,
    targetName: typeof body.name === 'string' ? body.name : null,
    // A creation sets everything; a change what it names.
    fields: operation.method === 'PATCH' ? Object.keys(body) : [],
    requestId,
    now,
  })
}

/** The last part of a path with a name is the innermost resource. */
function namedIn(params: unknown): string | null {
  const last = isObject(params) ? Object.values(params).at(-1) : undefined
  return typeof last === 'string' ? last : null
}

/** The answer to a creation is the resource, which begins with its id. */
function idIn(text: string): string | null {
  return /^\{"(?:id|userId)":"([^"\\]+)"/.exec(text)?.[1] ?? null
}
