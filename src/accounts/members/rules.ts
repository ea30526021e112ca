import { ApiError, notFound } from '../../contract/errors.ts'
import { isAtLeast, permissions } from '../../contract/permissions.ts'
import { reason } from '../../reasons/reason.ts'
import type { Role } from '../../storage/schema/accounts.ts'

/** Only owners may grant, change or remove the role of an owner. */
export function requireOwnerForOwnerRole(by: Role, ...affected: readonly Role[]): void {
  if (by === 'OWNER' || !affected.includes('OWNER')) return
  throw new ApiError('forbidden', reason('only_owner'))
}

/** Whether a member with the role `by` may invite somebody with `role`. */
export function mayInvite(by: Role, role: Role): boolean {
  return isAtLeast(by, permissions.createInvitation) && (by === 'OWNER' || role !== 'OWNER')
}

/** Only an owner can appoint owners, so the last one must stay. */
export function requireAnotherOwner(members: ReadonlyMap<string, Role>, without: string): void {
  const others = [...members].filter(([userId, role]) => role === 'OWNER' && userId !== without)
  if (others.length > 0 || members.get(without) !== 'OWNER') return
  throw new ApiError('conflict', reason('last_owner'))
}

export function requireMember(members: ReadonlyMap<string, Role>, userId: string): Role {
  const role = members.get(userId)
  if (role === undefined) throw notFound('member')
  return role
}
