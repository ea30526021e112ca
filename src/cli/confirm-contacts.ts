import { confirmAddressOf } from '../notifications/contacts/confirmed-address.ts'
import { renderContact } from '../notifications/contacts/render.ts'
import { confirmationEmail } from '../notifications/contacts/request-confirmation.ts'
import { createEmailSender } from '../outbound/email.ts'
import type { Config } from '../server/config/config.ts'
import type { Database } from '../storage/database.ts'
import type { ContactTable } from '../storage/schema/contacts.ts'
import { audited } from './audit.ts'
import { baseUrlOf, CommandError, type DatabaseAction } from './command.ts'
import { contactAuditEntry, describeContact, requireContact, sealerOf } from './find-contact.ts'

const TIMEOUT_MS = 60_000

interface SentConfirmation {
  readonly contact: ContactTable
  readonly isSent: boolean
  /** What was done, and what to do next. */
  readonly text: string
}

/** Mails the confirmation link of an e-mail contact. The operator is not limited by mail budgets. */
async function sendConfirmation(
  database: Database,
  unconfirmed: ContactTable,
  config: Config,
  now: number,
): Promise<SentConfirmation> {
  const advice = `run "pharos admin contacts resend-confirmation ${unconfirmed.id}" to send it again, or "pharos admin contacts confirm ${unconfirmed.id}" to confirm the address yourself`
  if (config.mail === undefined) {
    const text = `Confirmation e-mail not sent: no mail server is configured. Set PHAROS_SMTP_URL and PHAROS_MAIL_FROM, then ${advice}`
    return { contact: unconfirmed, isSent: false, text }
  }
  const options = { sealer: await sealerOf(database, config), baseUrl: baseUrlOf(config) }
  const { contact, email } = await database.write(() => confirmationEmail(unconfirmed, options, now))
  const sent = await createEmailSender(config.mail)(email, AbortSignal.timeout(TIMEOUT_MS))
  const text = sent.ok
    ? `Confirmation e-mail sent to ${email.to}. Alerts start after the address is confirmed`
    : `Confirmation e-mail not sent: ${sent.error}. To fix this, ${advice}`
  return { contact, isSent: sent.ok, text }
}

/** The contact after a change, and the sentence that follows in the report. */
export async function askIfUnconfirmed(
  database: Database,
  contact: ContactTable,
  config: Config,
  now: number,
): Promise<Pick<SentConfirmation, 'contact' | 'text'>> {
  if (contact.confirmed === 1) return { contact, text: `To test it, run "pharos admin contacts test ${contact.id}"` }
  if (contact.confirmation_sent_at !== null) return { contact, text: 'The address is waiting for confirmation' }
  return sendConfirmation(database, contact, config, now)
}

export const resendConfirmation: DatabaseAction = async (database, { positionals }, now, config) => {
  const unconfirmed = await requireUnconfirmed(database, positionals[0] as string)
  const { contact, isSent, text } = await sendConfirmation(database, unconfirmed, config, now)
  return { text, json: renderContact(contact, config), exitCode: isSent ? 0 : 1 }
}

export const confirmAlertContact: DatabaseAction = async (database, { positionals }, now, config) => {
  const contact = await requireUnconfirmed(database, positionals[0] as string)
  await database.write(() => audited(confirmAddressOf(contact), () => contactAuditEntry('confirm', contact), now))
  return { text: `Confirmed ${describeContact(contact)}`, json: renderContact({ ...contact, confirmed: 1 }, config) }
}

async function requireUnconfirmed(database: Database, id: string): Promise<ContactTable> {
  const contact = await requireContact(database, id)
  if (contact.confirmed === 0) return contact
  throw new CommandError(`${describeContact(contact)} is already confirmed`)
}
