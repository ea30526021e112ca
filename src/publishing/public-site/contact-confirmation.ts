import { organizationWithIdOrSlug } from '../../accounts/organizations/queries.ts'
import { contactWithToken } from '../../notifications/contacts/confirmation-link.ts'
import { confirmAddressOf } from '../../notifications/contacts/confirmed-address.ts'
import type { DbWork } from '../../storage/query.ts'
import { alertsConfirmedPage, askAlertsPage, brokenAlertsLinkPage } from './pages/contact-pages.ts'
import type { EmailLinkVisit, SubscriptionOptions, SubscriptionResult } from './subscriptions.ts'

/** The link in the confirmation e-mail of an alert contact. Opening it shows a button; only pressing it confirms. */
export function confirmContact(
  { database, sealer, clock }: SubscriptionOptions,
  { token, isSubmitted }: Omit<EmailLinkVisit, 'purpose'>,
): Promise<SubscriptionResult> | SubscriptionResult {
  const now = clock.now()
  function* visit(): DbWork<SubscriptionResult> {
    const contact = yield* contactWithToken(token, sealer, now)
    if (contact === undefined) return { status: 404, page: brokenAlertsLinkPage }
    const organization = (yield* organizationWithIdOrSlug(contact.org_id))?.name ?? ''
    if (isSubmitted) yield* confirmAddressOf(contact)
    const request = { organization, address: (JSON.parse(contact.settings) as { address: string }).address }
    const isConfirmed = isSubmitted || contact.confirmed === 1
    return { status: 200, page: isConfirmed ? alertsConfirmedPage(request) : askAlertsPage(request) }
  }
  return isSubmitted ? database.write(visit) : database.read(visit())
}
