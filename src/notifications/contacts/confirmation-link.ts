import { DAY_MS } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { openToken, sealToken } from '../../lib/sealed-tokens.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'

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
