import { insertKey } from '../accounts/keys/insert.ts'
import { keyWithHash } from '../accounts/keys/queries.ts'
import { hashKey } from '../accounts/keys/secret.ts'
import { createOrganization } from '../accounts/organizations/create.ts'
import { firstOrganization } from '../accounts/organizations/queries.ts'
import { addFirstOwner } from '../accounts/sign-in/set-up.ts'
import { hasUsers } from '../accounts/users/queries.ts'
import { hashPassword } from '../lib/passwords.ts'
import type { Database, Engine } from '../storage/database.ts'
import type { DbWork } from '../storage/query.ts'
import { lockForTransaction } from '../storage/transaction-lock.ts'
import type { FirstUser } from './config/first-user.ts'

export type Bootstrapped =
  /** The first start. `secret` is the first API key, to be printed once. */
  | { readonly first: true; readonly secret: string }
  /** `ignoredKey`: PHAROS_BOOTSTRAP_KEY is set and is not a key of this installation. */
  | { readonly first: false; readonly ignoredKey: boolean }

/** Creates the first organization and its first key, once across all nodes. */
export function* bootstrap(engine: Engine, chosenKey: string | undefined, now: number): DbWork<Bootstrapped> {
  yield* lockForTransaction(engine, 'bootstrap')
  if ((yield* firstOrganization()) !== undefined) {
    const unknown = chosenKey !== undefined && (yield* keyWithHash(hashKey(chosenKey))) === undefined
    return { first: false, ignoredKey: unknown }
  }
  const org = yield* createOrganization({ name: 'Default', slug: 'default', plan: 'SELF_HOSTED' }, now)
  const { secret } = yield* insertKey(
    {
      orgId: org.id,
      name: 'First key',
      access: 'full',
      expiresAt: null,
      ...(chosenKey === undefined ? {} : { secret: chosenKey }),
    },
    now,
  )
  return { first: true, secret }
}

/** Creates the user that the configuration names, as owner of the first organization, unless there is a user. */
export async function createFirstUser(
  database: Database,
  { email, password }: FirstUser,
  now: number,
): Promise<boolean> {
  if (await database.read(hasUsers())) return false
  const passwordHash = await hashPassword(password, { lane: 'known', key: 'first user' })
  return database.write(function* () {
    // Of several nodes that start at the same time, one creates the user.
    yield* lockForTransaction(database.engine, 'bootstrap')
    return (yield* addFirstOwner({ email, passwordHash }, now)) !== undefined
  })
}
