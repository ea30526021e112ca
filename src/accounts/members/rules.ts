import { ApiError, notFound } from '../../contract/errors.ts'
import type { Role } from '../../storage/schema/accounts.ts'

/** Only owners may grant, change or remove the role of an owner. */
export function requireOwnerForOwnerRole(by: Role, ...affected: readonly Role[]): void {
  if (by === 'OWNER' || !affected.includes('OWNER')) return
  throw new ApiError('forbidden', 'Only an owner can add, change or remove owners')
}

/** Only an owner can appoint owners, so the last one must stay. */
export function requireAnotherOwner(members: ReadonlyMap<string, Role>, without: string): void {
  const others = [...members].filter(([userId, role]) => role === 'OWNER' && userId !== without)
  if (others.length > 0 || members.get(without) !== 'OWNER') return
  throw new ApiError('conflict', 'The last owner cannot leave. Make someone else an owner first')
}

export function requireMember(members: ReadonlyMap<string, Role>, userId: string): Role {
  const role = members.get(userId)
  if (role === undefined) throw notFound('member')
  return role
}
