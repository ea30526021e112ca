import { normalizeEmail, normalizePassword } from '../../accounts/users/normalize.ts'
import { passwordProblem } from '../../accounts/users/schema.ts'
import { englishText } from '../../reasons/english.ts'
import type { Environment } from './read-files.ts'

export interface FirstUser {
  readonly email: string
  readonly password: string
}

/** Reads the PHAROS_FIRST_USER_ variables. Adds errors to `problems`, never the password. */
export function readFirstUser(env: Environment, problems: string[]): FirstUser | undefined {
  const [given, secret] = [env.PHAROS_FIRST_USER_EMAIL || undefined, env.PHAROS_FIRST_USER_PASSWORD || undefined]
  if (given === undefined && secret === undefined) return undefined
  const email = given === undefined ? undefined : normalizeEmail(given)
  if (email === undefined) {
    const rule = 'must be an e-mail address such as ada@example.com'
    problems.push(
      `PHAROS_FIRST_USER_EMAIL: ${given === undefined ? 'required with PHAROS_FIRST_USER_PASSWORD' : `${rule}, not "${given}"`}`,
    )
  }
  const password = normalizePassword(secret ?? '')
  const weakness = passwordProblem(password)
  const problem = secret === undefined ? 'required with PHAROS_FIRST_USER_EMAIL' : weakness && englishText(weakness)
  if (problem !== undefined) problems.push(`PHAROS_FIRST_USER_PASSWORD: ${problem}`)
  return email === undefined ? undefined : { email, password }
}
