import type { Sealer } from '../../lib/seal.ts'
import { openToken, sealToken } from '../../lib/sealed-tokens.ts'
import { hashToken, newToken } from '../../lib/tokens.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import type { InvitationTable } from '../../storage/schema/accounts.ts'
import { mayInvite } from './rules.ts'

/** Returns the token for the link; only its hash is stored. */
export function* saveInvitation(invitation: Omit<InvitationTable, 'hash'>): DbWork<string> {
  const token = newToken()
  yield* execute(q.insertInto('invitations').values({ ...invitation, hash: hashToken(token) }))
  return token
}

/** Pending and not expired, newest first. */
export function* invitationsOf(orgId: string, now: number): DbWork<readonly InvitationTable[]> {
  const ofOrganization = q.selectFrom('invitations').selectAll().where('org_id', '=', orgId)
  return yield* execute(ofOrganization.where('expires_at', '>', now).orderBy('id', 'desc'))
}

export function* dropInvitation(orgId: string, id: string): DbWork<boolean> {
  const dropped = yield* execute(
    q.deleteFrom('invitations').where('org_id', '=', orgId).where('id', '=', id).returning('id'),
  )
  return dropped.length === 1
}

/** Of a link that was mailed to an address in order to prove it. */
const ADDRESS_CONTEXT = 'invitation for an address'

/** The token of a link that proves the address when it is mailed there. It is valid as long as the invitation. */
export function sealInvitation({ hash }: Pick<InvitationTable, 'hash'>, email: string, sealer: Sealer): string {
  return sealToken(sealer, [hash, email], ADDRESS_CONTEXT)
}

/** Valid while its creator may give its role. With the token of `sealInvitation` it is one that was mailed to that address. */
export function* invitationWithToken(token: string, sealer: Sealer, now: number) {
  const [sealedHash, email] = openToken(token, sealer, ADDRESS_CONTEXT)
  const [found] = yield* execute(
    q
      .selectFrom('invitations as i')
      .innerJoin('organizations as o', 'o.id', 'i.org_id')
      .innerJoin('members as m', (on) => on.onRef('m.org_id', '=', 'i.org_id').onRef('m.user_id', '=', 'i.created_by'))
      .selectAll('i')
      .select(['o.name as organizationName', 'm.role as inviterRole'])
      .where('i.hash', '=', sealedHash ?? hashToken(token)),
  )
  if (found === undefined || found.expires_at <= now || !mayInvite(found.inviterRole, found.role)) return undefined
  return email === undefined ? found : { ...found, email, mailed: 1 }
}

/** Deletes up to `limit` expired invitations; returns how many. */
export const pruneInvitations = pruning({ table: 'invitations', key: ['hash'], by: 'expires_at' })
