import { actorOf } from '../../contract/actor.ts'
import type { Operation, OperationContext } from '../../contract/operation.ts'
import { recordAuditEntry } from '../../events/audit.ts'
import { resourceKindOf } from '../../lib/ids.ts'
import { isObject } from '../../lib/json.ts'
import { type DbWork, notifyWatchers } from '../../storage/query.ts'
import { nameOf } from './audit-names.ts'
import type { OperationInput } from './input.ts'

/** Runs a change, and writes its audit entry. */
export function* audited<T extends { readonly text: string }>(
  operation: Operation,
  call: OperationContext,
  input: OperationInput,
  change: DbWork<T>,
): DbWork<T> {
  // Changes to a user's own account belong to no organization.
  if (call.caller === undefined || operation.skipsAudit === true) return yield* change
  const id = idInPath(input.params)
  const { orgId } = call.caller
  const isDeletion = operation.method === 'DELETE' && id !== null
  const deletedName = isDeletion ? yield* nameOf(orgId, id, call.installation.sealer) : null
  const result = yield* change
  yield* audit(operation, call, input, result.text, deletedName)
  return result
}

/**
 * Writes the audit entry of a change to an organization's data, and notifies open dashboards. Runs for API keys and
 * sessions alike. `text` is the response body.
 */
function* audit(
  operation: Operation,
  { caller, requestId, now, installation }: OperationContext,
  input: OperationInput,
  text: string,
  deletedName: string | null,
): DbWork<void> {
  const body = isObject(input.body) ? input.body : {}
  const target = idInPath(input.params) ?? idInResponse(text)
  if (target !== null) yield* notifyWatchers({ orgId: caller.orgId, kind: resourceKindOf(target), id: target })
  const known = typeof body.name === 'string' ? body.name : deletedName
  yield* recordAuditEntry({
    orgId: caller.orgId,
    actor: actorOf(caller),
    action: operation.id,
    target,
    targetName: known ?? (target === null ? null : yield* nameOf(caller.orgId, target, installation.sealer)),
    // A creation sets every field, so it lists none.
    fields: operation.method === 'PATCH' || operation.method === 'PUT' ? Object.keys(body) : [],
    requestId,
    now,
  })
}

/** The last path parameter is the innermost resource. */
function idInPath(params: unknown): string | null {
  const last = isObject(params) ? Object.values(params).at(-1) : undefined
  return typeof last === 'string' ? last : null
}

/** The response to a creation is the resource; its first field is the id. */
function idInResponse(text: string): string | null {
  return /^\{"(?:id|userId)":"([^"\\]+)"/.exec(text)?.[1] ?? null
}
