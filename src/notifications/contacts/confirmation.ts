import { emailKey } from '../../accounts/users/normalize.ts'
import { DAY_MS } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { openToken, sealToken } from '../../lib/sealed-tokens.ts'
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

export const CONFIRM_PATH = '/contacts/confirm'
export const CONFIRMATION_LIFETIME_MS = 7 * DAY_MS
const CONTEXT = 'contact confirms'

interface LinkOptions {
  readonly sealer: Sealer
  readonly baseUrl: string
}

/** Contains the address, so that it confirms no other one after the contact was changed. */
export function confirmationLink(contact: ContactTable, { sealer, baseUrl }: LinkOptions, now: number): string {
  const { org_id: orgId, id, address_key: key } = contact
  const token = sealToken(sealer, [orgId, id, now + CONFIRMATION_LIFETIME_MS, key ?? ''], CONTEXT)
  return `${baseUrl}${CONFIRM_PATH}/${token}`
}

/** The contact that a token was made for. Undefined if it is invalid, has expired, or the contact has another address now. */
export function* contactWithToken(token: string, sealer: Sealer, now: number): DbWork<ContactTable | undefined> {
  const [orgId, id, until, key] = openToken(token, sealer, CONTEXT)
  if (orgId === undefined || id === undefined || key === undefined || Number(until) <= now) return undefined
  const contact = q.selectFrom('contacts').selectAll().where('org_id', '=', orgId).where('id', '=', id)
  return (yield* execute(contact.where('address_key', '=', key)))[0]
}
