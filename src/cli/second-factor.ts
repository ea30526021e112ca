import { dropFactors } from '../accounts/factors/queries.ts'
import { membershipsOf } from '../accounts/members/queries.ts'
import { endSessionsOf } from '../accounts/sessions/queries.ts'
import { recordCommand } from './audit.ts'
import type { DatabaseAction } from './command.ts'
import { requireUser } from './users.ts'

export const resetSecondFactor: DatabaseAction = async (database, { positionals }, now) => {
  const user = await requireUser(database, positionals[0] as string)
  const removed = await database.write(function* () {
    const hadFactors = yield* dropFactors(user.id)
    yield* endSessionsOf(user.id)
    for (const { id: orgId } of hadFactors ? yield* membershipsOf(user.id) : []) {
      const entry = { orgId, command: 'users reset-second-factor', target: user.id, targetName: user.name }
      yield* recordCommand(entry, now)
    }
    return hadFactors
  })
  const text = removed
    ? `Removed second factors and passkeys of ${user.email}. They are signed out and can sign in with their password.`
    : `${user.email} had no second factors or passkeys. They are signed out.`
  return { text, json: { email: user.email, removed } }
}
