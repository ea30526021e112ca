import { ApiError } from '../../contract/errors.ts'
import type { Role } from '../../storage/schema-accounts.ts'

/** Owners are made, changed and removed by owners alone; nobody else's role is above an admin's. */
export function requireOwnerForOwnerRole(by: Role, ...touched: readonly Role[]): void {
  if (by === 'OWNER' || !touched.includes('OWNER')) return
  throw new ApiError('forbidden', 'Only an owner can make, change or remove owners')
}

/** An organization without an owner could never be given one again. */
export function requireAnotherOwner(members: ReadonlyMap<string, Role>, without: string): void {
  const others = [...members].filter(([userId, role]) => role === 'OWNER' && userId !== without)
  if (others.length > 0 || members.get(without) !== 'OWNER') return
  throw new ApiError('conflict', 'The last owner cannot go; make somebody else an owner first')
}
