import Type, { type Static } from 'typebox'
import type { Fault } from '../../contract/errors.ts'
import { faultFor } from '../../contract/errors.ts'
import { nullable, oneOf, resource, singleLine, Timestamp } from '../../contract/schema.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { type Reason, reason } from '../../reasons/reason.ts'
import type { UserTable } from '../../storage/schema/accounts.ts'
import { isCommonPassword } from './common-passwords.ts'
import { normalizeEmail } from './normalize.ts'

export const Email = Type.String({ minLength: 3, maxLength: 254, description: 'An e-mail address' })

const MIN_PASSWORD_LENGTH = 10
const MAX_PASSWORD_LENGTH = 200

const COMMON_PASSWORD = reason('common_password')

export const NewPassword = Type.String({
  minLength: MIN_PASSWORD_LENGTH,
  maxLength: MAX_PASSWORD_LENGTH,
  description: 'Any characters; longer is safer. Common passwords are refused',
})

/** No minimum length: an existing password is only compared. */
export const CurrentPassword = Type.String({ minLength: 1, maxLength: MAX_PASSWORD_LENGTH })

export const UserName = singleLine({ minLength: 1, maxLength: 120, description: 'The name that other users see' })

export const LinkToken = Type.String({ minLength: 1, maxLength: 200, description: 'The token of the link' })

/** The languages of the dashboard. */
export const UserLanguage = nullable(oneOf(['en', 'de', 'es', 'fr', 'ja', 'pt', 'zh']), {
  description: 'Language of the dashboard; null: that of the browser',
})

export const User = resource('User', {
  id: Type.String({ minLength: 1 }),
  email: Type.String(),
  name: Type.String(),
  emailVerified: Type.Boolean(),
  hasPassword: Type.Boolean(),
  language: UserLanguage,
  createdAt: Timestamp,
})

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

/** What is wrong with a new password that no schema has checked. */
export function passwordProblem(password: string): Reason | undefined {
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH)
    return reason('wrong_length', { least: MIN_PASSWORD_LENGTH, most: MAX_PASSWORD_LENGTH })
  return isCommonPassword(password) ? COMMON_PASSWORD : undefined
}

/** Validates the optional `email` and new password of a body. */
export function accountFaults(body: Readonly<Record<string, unknown>>): Fault[] {
  const { email } = body
  const faults: Fault[] = []
  if (typeof email === 'string' && normalizeEmail(email) === undefined)
    faults.push(faultFor('email', reason('not_an_email')))
  for (const path of ['password', 'newPassword']) {
    const password = body[path]
    if (typeof password !== 'string' || password.length < MIN_PASSWORD_LENGTH || !isCommonPassword(password)) continue
    faults.push(faultFor(path, COMMON_PASSWORD))
  }
  return faults
}
