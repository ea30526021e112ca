import { keyWithId } from '../../accounts/keys/queries.ts'
import { countMemberMail } from '../../accounts/mail-budgets/budgets.ts'
import { accountEmail } from '../../accounts/users/account-email.ts'
import { ApiError } from '../../contract/errors.ts'
import { type OperationContext, operation } from '../../contract/operation.ts'
import { newId } from '../../lib/ids.ts'
import { parseStored } from '../../lib/json.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { Email } from '../../outbound/email.ts'
import { cleanName, subject } from '../../outbound/email-subject.ts'
import { reason } from '../../reasons/reason.ts'
import type { Caller } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import { CONFIRMATION_LIFETIME_MS, confirmAddressOf, confirmationLink, isConfirmedAddress } from './confirmation.ts'
import { contactOf, organizationOf, saveContact } from './queries.ts'
import { renderContact } from './render.ts'
import { Contact, ofContact } from './schema.ts'

function* confirmationEmail(
  contact: ContactTable,
  options: { readonly sealer: Sealer; readonly baseUrl: string },
  now: number,
): DbWork<Email> {
  const organization = cleanName((yield* organizationOf(contact.org_id)).name)
  const address = addressOf(contact)
  return accountEmail(newId('ntc', now), {
    to: address,
    subject: subject`Confirm alerts from ${organization}`,
    paragraphs: [
      `${organization} wants to send monitoring alerts from Pharos to ${address}. To receive them, open this link within 7 days:`,
      "If you don't want these alerts, ignore this e-mail.",
    ],
    link: confirmationLink(contact, options, now),
    button: 'Confirm alerts',
  })
}

function addressOf({ settings }: ContactTable): string {
  return (parseStored(settings) as { address: string }).address
}

type Answer = ReturnType<typeof renderContact>
type Context = Pick<OperationContext, 'caller' | 'installation' | 'now'>

/** Answers with the contact, after asking its address for a confirmation if it is enabled and was not asked before. */
export function* askUnconfirmed(context: Context, contact: ContactTable): DbWork<Answer> {
  const { queueMail, transports } = context.installation
  const isAsked = contact.confirmation_sent_at !== null
  const isNeeded = contact.enabled === 1 && contact.confirmed === 0
  if (!isNeeded || isAsked || queueMail === undefined) return renderContact(contact, transports)
  return yield* askForConfirmation(context, contact)
}

function* askForConfirmation(context: Context, unconfirmed: ContactTable): DbWork<Answer> {
  const { caller, installation, now } = context
  const { queueMail } = installation
  if (queueMail === undefined) {
    throw new ApiError('conflict', reason('no_mail'))
  }
  const userId = yield* mailSenderOf(caller)
  yield* countMemberMail({ orgId: caller.orgId, userId, to: addressOf(unconfirmed) }, now)
  const contact = yield* saveContact(caller.orgId, unconfirmed.id, { confirmation_sent_at: now })
  yield* queueMail(yield* confirmationEmail(contact, installation, now), now + CONFIRMATION_LIFETIME_MS, now)
  return renderContact(contact, installation.transports)
}

/** A user's budget also pays for the keys that the user created in any organization. A key without a creator has its own. */
function* mailSenderOf(caller: Caller): DbWork<string> {
  if ('userId' in caller) return caller.userId
  return (yield* keyWithId(caller.keyId))?.created_by ?? caller.keyId
}

export const resendContactConfirmation = operation({
  ...ofContact,
  id: 'resendContactConfirmation',
  method: 'POST',
  path: '/contacts/:contactId/confirmation',
  summary: 'Send the confirmation e-mail of a contact again',
  description: 'For an e-mail contact whose address is not confirmed yet. Earlier links stay valid until they expire.',
  notifies: true,
  answer: { status: 200, schema: Contact, description: 'The contact; `confirmationSentAt` is the time of this e-mail' },
  errors: ['not_found', 'conflict'],
  *handle(context, { params }) {
    const { orgId } = context.caller
    const contact = yield* contactOf(orgId, params.contactId)
    const { address_key: key, confirmed } = contact
    if (confirmed === 1 || key === null) throw new ApiError('conflict', reason('no_confirmation_needed'))
    if (!(yield* isConfirmedAddress(orgId, key))) return yield* askForConfirmation(context, contact)
    // Its owner has become a member, or verified the address, since the contact was saved.
    yield* confirmAddressOf(contact)
    return renderContact({ ...contact, confirmed: 1 }, context.installation.transports)
  },
})

/** For actions that send to a contact at once. */
export function requireConfirmed(contact: ContactTable): void {
  if (contact.confirmed === 1) return
  throw new ApiError('conflict', reason('waits_for_confirmation', { address: addressOf(contact) }))
}
