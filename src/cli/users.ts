import { dropChallengesOf } from '../accounts/factors/challenges.ts'
import { addMember, membershipsOf } from '../accounts/members/queries.ts'
import { endSessionsOf } from '../accounts/sessions/queries.ts'
import { reclaimAccount } from '../accounts/sign-in/reclaim-account.ts'
import { resetLink } from '../accounts/sign-in/reset-password.ts'
import { normalizeEmail, normalizePassword } from '../accounts/users/normalize.ts'
import { createUser, updateUser, userForUpdate, usersAfter, userWithEmail } from '../accounts/users/queries.ts'
import { passwordProblem } from '../accounts/users/schema.ts'
import { issueToken } from '../accounts/users/tokens.ts'
import { DAY_MS, HOUR_MS } from '../lib/clock.ts'
import { hashPassword } from '../lib/passwords.ts'
import { isoTimestampOrNull } from '../lib/timestamp.ts'
import { englishText } from '../reasons/english.ts'
import type { Config } from '../server/config/config.ts'
import type { Database } from '../storage/database.ts'
import { type Role, roles, type UserTable } from '../storage/schema/accounts.ts'
import { byCommandLine, recordCommand } from './audit.ts'
import { cleanLine } from './clean-text.ts'
import { baseUrlOf, CommandError, type DatabaseAction, readAll, table, UsageError } from './command.ts'
import { readInput } from './input.ts'
import { chosenOrganization } from './orgs.ts'

const NEW_USER_LINK_LIFETIME_MS = 7 * DAY_MS
const RESET_LINK_LIFETIME_MS = HOUR_MS
const TURN = { lane: 'known', key: 'command line' } as const

export const listUsers: DatabaseAction = async (database) => {
  const users = await readAll<UserTable>(database, (last, limit) => usersAfter(last?.id ?? '', limit))
  const json = []
  for (const user of users) {
    const organizations = await database.read(membershipsOf(user.id))
    json.push({ ...userJson(user), organizations: organizations.map(({ slug, role }) => ({ slug, role })) })
  }
  const rows = json.map(({ id, email, name, organizations }) => [
    id,
    email,
    name,
    organizations.map(({ slug, role }) => `${slug} (${role.toLowerCase()})`).join(', '),
  ])
  return { text: table(['ID', 'E-MAIL', 'NAME', 'ORGANIZATIONS'], rows), json }
}

export const addUser: DatabaseAction = async (database, { positionals, options }, now, config) => {
  const email = normalizeEmail(positionals[0] as string)
  if (email === undefined) throw new UsageError(`"${positionals[0]}" is not a valid e-mail address`)
  const role = roleOf(options.role ?? 'member')
  const org = await chosenOrganization(database, options.org)
  const password = options['password-file'] === undefined ? undefined : passwordIn(options['password-file'])
  const passwordHash = password === undefined ? null : await hashPassword(password, TURN)
  const user = await database.write(function* () {
    const created = yield* createUser({ email, passwordHash, emailVerifiedAt: now }, now)
    if (created === undefined) throw new CommandError(`User ${email} already exists`)
    yield* addMember(org.id, created.id, role, now)
    const entry = { orgId: org.id, command: 'users create', target: created.id, targetName: created.name }
    yield* recordCommand(entry, now)
    return created
  })
  const added = `Created ${email} in ${cleanLine(org.name)} with role ${role.toLowerCase()}`
  if (password !== undefined) return { text: added, json: userJson(user) }
  const link = await linkFor(database, user, config, now, NEW_USER_LINK_LIFETIME_MS)
  return {
    text: `${added}.\nOpen this link to set the password (single use, expires in 7 days):\n\n${link}`,
    json: { ...userJson(user), link },
  }
}

export const resetUserPassword: DatabaseAction = async (database, { positionals, options }, now, config) => {
  const user = await requireUser(database, positionals[0] as string)
  const isConfirmed = user.email_verified_at !== null
  const lost = 'their passkeys, second factors, and the API keys and invitations that they created'
  if (options['password-file'] === undefined) {
    const link = await linkFor(database, user, config, now, RESET_LINK_LIFETIME_MS)
    return {
      text:
        (isConfirmed ? '' : `The address was never confirmed, so the new password ends ${lost}.\n`) +
        `Open this link to set a new password (single use, expires in 1 hour):\n\n${link}`,
      json: { email: user.email, link },
    }
  }
  const hash = await hashPassword(passwordIn(options['password-file']), TURN)
  await database.write(function* () {
    const current = yield* userForUpdate(user.id)
    if (current !== undefined) yield* reclaimAccount(current, byCommandLine(now))
    yield* updateUser(user.id, { password_hash: hash }, now)
    yield* endSessionsOf(user.id)
    yield* dropChallengesOf(user.id)
  })
  return {
    text:
      `Changed the password of ${user.email} and signed them out of all sessions` +
      (isConfirmed ? '' : `.\nTheir address was never confirmed, so this also ended ${lost}`),
    json: { email: user.email },
  }
}

export async function requireUser(database: Database, email: string): Promise<UserTable> {
  const user = await database.read(userWithEmail(email))
  if (user === undefined) throw new CommandError(`User "${email}" not found; run "pharos users list" to see all`)
  return user
}

async function linkFor(
  database: Database,
  user: UserTable,
  config: Config,
  now: number,
  lifeMs: number,
): Promise<string> {
  const token = await database.write(() => issueToken({ purpose: 'RESET_PASSWORD', userId: user.id }, now, lifeMs))
  return resetLink(baseUrlOf(config), token)
}

function passwordIn(path: string): string {
  const password = normalizePassword(readInput(path))
  const problem = passwordProblem(password)
  if (problem !== undefined) throw new CommandError(`The password ${englishText(problem)}`)
  return password
}

function roleOf(text: string): Role {
  const role = roles.find((name) => name === text.toUpperCase())
  if (role === undefined) throw new UsageError(`Unknown role "${text}": use ${roles.join(', ').toLowerCase()}`)
  return role
}

function userJson(user: UserTable) {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    hasPassword: user.password_hash !== null,
    createdAt: isoTimestampOrNull(user.created_at),
  }
}
