import type { Static } from 'typebox'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import type { User } from './schema.ts'

export function renderUser(user: UserTable): Static<typeof User> {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    emailVerified: user.email_verified_at !== null,
    hasPassword: user.password_hash !== null,
    language: user.language as Static<typeof User>['language'],
    createdAt: isoTimestamp(user.created_at),
  }
}
