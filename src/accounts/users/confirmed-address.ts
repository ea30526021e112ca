import { ApiError } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import { reason } from '../../reasons/reason.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'

/**
 * Somebody could create an account with the address of somebody else and keep a factor of their own. Without a mail server no
 * address can be confirmed, so factors are allowed; a password reset by the operator drops them (sign-in/reclaim-account.ts).
 */
export function requireConfirmedAddress(user: UserTable, { queueMail }: Installation): void {
  if (user.email_verified_at !== null || queueMail === undefined) return
  throw new ApiError('conflict', reason('confirm_email_first'))
}
