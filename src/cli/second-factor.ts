import { dropFactors } from '../accounts/factors/queries.ts'
import { membershipsOf } from '../accounts/members/queries.ts'
import { endSessionsOf } from '../accounts/sessions/queries.ts'
import { userWithEmail } from '../accounts/users/queries.ts'
import { constant } from '../storage/query.ts'
import { audited } from './audit.ts'
import { CommandError, type DatabaseCommand } from './command.ts'

const name = 'users reset-second-factor'

export const resetSecondFactor: DatabaseCommand = {
  name,
  summary: 'Remove the authenticator app, recovery codes and passkeys of a user who has lost them; all sessions end',
  positionals: ['EMAIL'],
  async run(database, { positionals }, now) {
    const user = await database.read(userWithEmail(positionals[0] as string))
    if (user === undefined) throw new CommandError(`There is no user "${positionals[0]}"; see "pharos users list"`)
    const removed = await database.write(function* () {
      const hadFactors = yield* dropFactors(user.id)
      yield* endSessionsOf(user.id)
      for (const { id: orgId } of hadFactors ? yield* membershipsOf(user.id) : []) {
        const entry = { orgId, command: name, target: user.id, targetName: user.name }
        yield* audited(constant(undefined), () => entry, now)
      }
      return hadFactors
    })
    const text = removed
      ? `${user.email} can now sign in with the password alone; all sessions have ended`
      : `${user.email} had no second factor and no passkeys; all sessions have ended`
    return { text, json: { email: user.email, removed } }
  },
}
