import type { Static } from 'typebox'
import { momentText } from '../../lib/moment.ts'
import type { UserTable } from '../../storage/schema-accounts.ts'
import type { User } from './schema.ts'

export function renderUser(user: UserTable): Static<typeof User> {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    emailVerified: user.email_verified_at !== null,
    hasPassword: user.password_hash !== null,
    createdAt: momentText(user.created_at),
  }
}

export { letterWith } from './account-mail.ts'
