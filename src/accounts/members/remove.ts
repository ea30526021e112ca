import Type, { type Static } from 'typebox'
import { appOperation, type MemberContext } from '../../contract/app-operation.ts'
import { type Fault, invalid } from '../../contract/errors.ts'
import { DEFAULT_BODY_BYTES } from '../../contract/operation.ts'
import { body, defaulted, resource } from '../../contract/schema.ts'
import { duplicateFaults, uniqueItems } from '../../contract/unique-items.ts'
import { type DbWork, notifyWatchers } from '../../storage/query.ts'
import type { Role } from '../../storage/schema/accounts.ts'
import { type ListedKeyRow, liveKeysOfCreator } from '../keys/queries.ts'
import { dropMember, membersForUpdate } from './queries.ts'
import { revokeInvitations, revokeKeys, revokerOf } from './revoke.ts'
import { requireAnotherOwner, requireMember, requireOwnerForOwnerRole } from './rules.ts'
import { MemberParams, RevokedInvitations } from './schema.ts'

const ALL_KEYS = '*'
const MAX_REVOKED = 500

const Removal = body('MemberRemoval', {
  revokeKeys: defaulted(
    Type.Array(Type.String(), {
      maxItems: MAX_REVOKED,
      ...uniqueItems,
      description:
        'Ids of API keys that the member created, or ["*"] for all of them. Keys that are not listed keep working.',
    }),
    [],
  ),
})

const removalFaults = ({ revokeKeys }: Readonly<Record<string, unknown>>): Fault[] =>
  duplicateFaults('revokeKeys', revokeKeys, MAX_REVOKED)

const Removed = resource('MemberRemoved', {
  data: Type.Object({ id: Type.String({ minLength: 1 }) }),
  revokedKeys: Type.Array(Type.String(), { description: 'Ids of the API keys that were revoked' }),
  revokedInvitations: RevokedInvitations,
})

export const removeMember = appOperation('removeMember', {
  method: 'DELETE',
  path: '/members/:userId',
  tag: 'Members',
  summary: 'Remove a member',
  description:
    "The member's next request is refused. Invitations that the member created are revoked. The user account is kept.",
  params: MemberParams,
  body: Removal,
  bodyLimitBytes: DEFAULT_BODY_BYTES,
  bodyRequired: false,
  refine: removalFaults,
  answer: { status: 200, schema: Removed, description: 'The member was removed' },
  errors: ['not_found', 'conflict'],
  *handle(context, { params: { userId }, body: { revokeKeys = [] } }) {
    const members = yield* membersForUpdate(context.caller.orgId)
    requireOwnerForOwnerRole(context.caller.role, requireMember(members, userId))
    return yield* removeFrom(context, members, userId, revokeKeys)
  },
})

export const leaveOrganization = appOperation('leaveOrganization', {
  method: 'POST',
  path: '/members/leave',
  tag: 'Members',
  summary: 'Leave the organization',
  description: 'Invitations that you created are revoked.',
  body: Removal,
  bodyLimitBytes: DEFAULT_BODY_BYTES,
  bodyRequired: false,
  refine: removalFaults,
  answer: { status: 200, schema: Removed, description: 'You are no longer a member' },
  errors: ['conflict'],
  *handle(context, { body: { revokeKeys = [] } }) {
    const { orgId, userId } = context.caller
    return yield* removeFrom(context, yield* membersForUpdate(orgId), userId, revokeKeys)
  },
})

function* removeFrom(
  context: MemberContext,
  members: ReadonlyMap<string, Role>,
  userId: string,
  chosen: readonly string[],
): DbWork<Static<typeof Removed>> {
  const { orgId } = context.caller
  requireMember(members, userId)
  requireAnotherOwner(members, userId)
  const by = revokerOf(context)
  const keys = chosenKeys(yield* liveKeysOfCreator(orgId, userId, by.now), chosen)
  const revokedKeys = yield* revokeKeys(orgId, keys, by)
  const revokedInvitations = yield* revokeInvitations(orgId, userId, undefined, by)
  yield* dropMember(orgId, userId)
  // Keys that were not revoked now have a creator who is not a member.
  yield* notifyWatchers({ orgId, kind: 'key', id: null })
  return { data: { id: userId }, revokedKeys, revokedInvitations }
}

/** An id that is not among the member's keys is a fault: a typing error must not leave a key active. */
function chosenKeys(keys: readonly ListedKeyRow[], chosen: readonly string[]): readonly ListedKeyRow[] {
  if (chosen.includes(ALL_KEYS)) return keys
  const message = 'is not an active API key that this member created'
  const faults = chosen.flatMap((id, i) =>
    keys.some((key) => key.id === id) ? [] : [{ path: `revokeKeys.${i}`, message }],
  )
  if (faults.length > 0) throw invalid(faults)
  return keys.filter(({ id }) => chosen.includes(id))
}
