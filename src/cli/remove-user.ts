import { liveKeysOfCreator } from '../accounts/keys/queries.ts'
import { revokeKeyOf } from '../accounts/keys/revoke.ts'
import { dropMember, membersForUpdate } from '../accounts/members/queries.ts'
import { revokeInvitations } from '../accounts/members/revoke.ts'
import { requireAnotherOwner } from '../accounts/members/rules.ts'
import { ApiError } from '../contract/errors.ts'
import type { DbWork } from '../storage/query.ts'
import { byCommandLine, recordCommand } from './audit.ts'
import { cleanLine } from './clean-text.ts'
import { CommandError, type DatabaseAction, displayTime } from './command.ts'
import { chosenOrganization } from './orgs.ts'
import { requireUser } from './users.ts'

export const removeUser: DatabaseAction = async (database, { positionals, options }, now) => {
  const user = await requireUser(database, positionals[0] as string)
  const { id: orgId, name } = await chosenOrganization(database, options.org)
  const orgName = cleanLine(name)
  const isRevoking = options['revoke-keys'] !== undefined
  const { keys, invitations } = await database.write(function* () {
    yield* dropMembership(
      orgId,
      user.id,
      `${user.email} is not a member of ${orgName}; run "pharos users list" to see all members`,
    )
    yield* recordCommand({ orgId, command: 'users remove', target: user.id, targetName: user.name }, now)
    const created = yield* liveKeysOfCreator(orgId, user.id, now)
    for (const { id, name } of isRevoking ? created : []) {
      yield* revokeKeyOf(orgId, id, now)
      yield* recordCommand({ orgId, command: 'keys revoke', target: id, targetName: name }, now)
    }
    return { keys: created, invitations: yield* revokeInvitations(orgId, user.id, undefined, byCommandLine(now)) }
  })
  const lines = keys.map(
    ({ id, name, last_used_at: at }) =>
      `  ${id}  ${cleanLine(name)}, ${at === null ? 'never used' : `last used ${displayTime(at)}`}`,
  )
  const heading = isRevoking
    ? 'Revoked their API keys:'
    : 'These API keys they created are still active; to revoke one, run "pharos keys revoke KEY":'
  return {
    text: [
      `Removed ${user.email} from ${orgName}.`,
      ...(invitations.length > 0 ? [`Revoked the pending invitations they created: ${invitations.length}.`] : []),
      ...(keys.length > 0 ? [heading, ...lines] : []),
    ].join('\n'),
    json: {
      email: user.email,
      orgId,
      revokedInvitations: invitations,
      keys: keys.map(({ id, name }) => ({ id, name, revoked: isRevoking })),
    },
  }
}

function* dropMembership(orgId: string, userId: string, notMember: string): DbWork<void> {
  const members = yield* membersForUpdate(orgId)
  if (!members.has(userId)) throw new CommandError(notMember)
  try {
    requireAnotherOwner(members, userId)
  } catch (error) {
    throw error instanceof ApiError ? new CommandError(error.message) : error
  }
  yield* dropMember(orgId, userId)
}
