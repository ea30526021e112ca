import { emailKey } from '../../accounts/users/normalize.ts'
import { type DbWork, execute, notifyWatchers, q } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import type { ChannelName } from './channels/index.ts'
import type { Settings } from './settings.ts'

/** Null for channels other than e-mail. */
export function addressKeyOf(channel: ChannelName, settings: Settings): string | null {
  return channel === 'EMAIL' ? emailKey(String(settings.address)) : null
}

/** Whether this organization may send alerts to an address: it belongs to a member, or was confirmed before. */
export function* isConfirmedAddress(orgId: string, key: string): DbWork<boolean> {
  const contact = q.selectFrom('contacts').select('id').where('org_id', '=', orgId).where('address_key', '=', key)
  if ((yield* execute(contact.where('confirmed', '=', 1).limit(1))).length > 0) return true
  // Somebody can become a member with any address by a link that was not mailed, so the address must be verified.
  const verifiedMember = q
    .selectFrom('users as u')
    .innerJoin('members as m', 'm.user_id', 'u.id')
    .select('u.id')
    .where('m.org_id', '=', orgId)
    .where('u.email_key', '=', key)
    .where('u.email_verified_at', 'is not', null)
  return (yield* execute(verifiedMember)).length > 0
}

/** Confirms the address of a contact, also for the other contacts of the organization that have it. */
export function* confirmAddressOf({ org_id: orgId, address_key: key }: ContactTable): DbWork<void> {
  if (key === null) return
  const unconfirmed = q.updateTable('contacts').where('org_id', '=', orgId).where('address_key', '=', key)
  yield* execute(unconfirmed.set({ confirmed: 1 }).where('confirmed', '=', 0))
  yield* notifyWatchers({ orgId, kind: 'contact', id: null })
}
