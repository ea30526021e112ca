import { type ApiError, invalid } from '../../contract/errors.ts'
import type { OperationContext } from '../../contract/operation.ts'
import { type DbWork, first, q, statement } from '../../storage/query.ts'
import { recordAddressDispute } from './address-disputes.ts'

/** An hour and organization. Otherwise anybody could ask which addresses jobs of others call. */
const MAX_REFUSALS = 10

const holderOf = statement(({ hash }: { hash: string }) =>
  q.selectFrom('monitors').select(['num', 'org_id']).where('legacy_hash', '=', hash),
)

interface Wanted {
  readonly monitor: { readonly id: string; readonly num: number }
  readonly hash: string
}

/**
 * Of all organizations, an address of another tool leads to one monitor. Refuses one that leads to another monitor, with the same
 * answer whether it is one of the caller's organization.
 */
export function* requireFreeAddress(context: OperationContext, { monitor, hash }: Wanted): DbWork<void> {
  const { installation, now } = context
  const { orgId } = context.caller
  const refusals = installation.refusals(`old addresses ${orgId}`, MAX_REFUSALS, now)
  const holder = yield* first(holderOf, { hash })
  if (holder === undefined || holder.num === monitor.num) return
  refusals.count()
  if (holder.org_id !== orgId) {
    const dispute = { orgId, monitorId: monitor.id, hash, at: now }
    installation.runApart('recording an old address that two organizations want', () => recordAddressDispute(dispute))
  }
  throw oldAddressTaken()
}

export function oldAddressTaken(): ApiError {
  return invalid([{ path: 'token', message: TAKEN }])
}

const TAKEN =
  'is the old address of another monitor on this server. Remove it there; if none of yours has it, ask the operator'
