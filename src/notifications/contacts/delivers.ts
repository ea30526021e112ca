import type { ContactTable } from '../../storage/schema/contacts.ts'
import { type ChannelName, channels } from './channels/index.ts'

/** Why a contact does not deliver alerts. If several reasons apply, the first counts. */
export const contactProblems = ['DISABLED', 'NOT_CONFIGURED', 'UNCONFIRMED', 'FAILING'] as const

export type ContactProblem = (typeof contactProblems)[number]

/** What the operator has set up; undefined: no mail server. */
export interface Configured {
  readonly mail: unknown
}

type Contact = Pick<ContactTable, 'channel' | 'enabled' | 'confirmed' | 'failing_since'>

export function isConfigured(channel: ChannelName, { mail }: Configured): boolean {
  // Undefined for a channel of a newer version, whose nodes may serve at the same time.
  return !channels[channel]?.needsMailServer || mail !== undefined
}

/** The rule for all warnings about missing alerts: null if messages to the contact arrive, as far as is known. */
export function problemOf(contact: Contact, configured: Configured): ContactProblem | null {
  if (contact.enabled === 0) return 'DISABLED'
  if (!isConfigured(contact.channel as ChannelName, configured)) return 'NOT_CONFIGURED'
  if (contact.confirmed === 0) return 'UNCONFIRMED'
  return contact.failing_since === null ? null : 'FAILING'
}
