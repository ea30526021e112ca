import { organizationWithIdOrSlug } from '../../accounts/organizations/queries.ts'
import { parseStored } from '../../lib/json.ts'
import type { Sealer } from '../../lib/seal.ts'
import { confirmAddressOf, contactWithToken } from '../../notifications/contacts/confirmation.ts'
import { parseAddress } from '../../notifications/subscribers/address.ts'
import { confirm } from '../../notifications/subscribers/confirmations.ts'
import { parseEndpoint } from '../../notifications/subscribers/endpoint.ts'
import { type LinkPurpose, openConfirmToken, openUnsubscribeToken } from '../../notifications/subscribers/links.ts'
import { subscriberOf, unsubscribe } from '../../notifications/subscribers/queries.ts'
import { subscribe } from '../../notifications/subscribers/subscribe.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import type { DbWork } from '../../storage/query.ts'
import type { SubscriberKind } from '../../storage/schema/subscribers.ts'
import type { SafeHtml } from './markup/html.ts'
import type { PageCacheOptions } from './page-cache.ts'
import { alertsConfirmedPage, askAlertsPage, brokenAlertsLinkPage, brokenLinkPage } from './pages/standalone-pages.ts'
import {
  askConfirmPage,
  askUnsubscribePage,
  invalidAddressPage,
  outcomePage,
  tooManyPage,
  unsubscribedPage,
} from './pages/subscription-pages.ts'
import { pageWithKey, type StoredPage } from './queries/pages.ts'
import { pageInfoOf } from './views/page-info.ts'

export interface SiteOptions extends PageCacheOptions {
  readonly sealer: Sealer
  /** Which addresses webhooks may connect to. */
  readonly subscriberPolicy: AddressPolicy
}

interface FormAnswer {
  readonly status: number
  readonly page: SafeHtml
}

/** The subscription form of a page, as submitted. */
interface SubscribeRequest {
  readonly root: string
  /** IP address of the client. */
  readonly client: string
  readonly kind: SubscriberKind
  /** The e-mail address or URL, as entered. */
  readonly value: string
}

/** Undefined if the page has no subscription form. */
export async function answerForm(
  page: StoredPage,
  request: SubscribeRequest,
  { database, clock, sealer, baseUrl, canMail, subscriberPolicy }: SiteOptions,
): Promise<FormAnswer | undefined> {
  const info = pageInfoOf(page, baseUrl())
  const { client, root, kind, value } = request
  if (!info.subscribersEnabled || (kind === 'EMAIL' && !canMail)) return undefined
  const to = kind === 'EMAIL' ? parseAddress(value) : parseEndpoint(kind, value, subscriberPolicy)
  if (to === undefined) return { status: 400, page: invalidAddressPage(info, root, request) }
  const signUp = { orgId: page.org_id, pageId: page.id, to, client }
  const outcome = await database.write(() => subscribe(signUp, sealer, clock.now()))
  if (outcome === 'tooMany') return { status: 429, page: tooManyPage(info) }
  return { status: 200, page: outcomePage(info, kind === 'EMAIL' ? 'checkInbox' : 'checkEndpoint') }
}

/** A link from an email. Opening it shows a button; `isSubmitted` once the button was pressed. */
export interface EmailLinkVisit {
  /** `alerts`: from the confirmation of an alert contact. */
  readonly purpose: LinkPurpose | 'alerts'
  readonly token: string
  readonly isSubmitted: boolean
}

export function answerLink(visit: EmailLinkVisit, options: SiteOptions): Promise<FormAnswer> | FormAnswer {
  const { database, clock } = options
  const follow = visit.purpose === 'alerts' ? followAlertsLink : followSubscriberLink
  const work = () => follow(visit, options, clock.now())
  return visit.isSubmitted ? database.write(work) : database.read(work())
}

function* followAlertsLink(
  { token, isSubmitted }: EmailLinkVisit,
  { sealer }: SiteOptions,
  now: number,
): DbWork<FormAnswer> {
  const contact = yield* contactWithToken(token, sealer, now)
  if (contact === undefined) return { status: 404, page: brokenAlertsLinkPage }
  const organization = (yield* organizationWithIdOrSlug(contact.org_id))?.name ?? ''
  if (isSubmitted) yield* confirmAddressOf(contact)
  const request = { organization, address: (parseStored(contact.settings) as { address: string }).address }
  const isConfirmed = isSubmitted || contact.confirmed === 1
  return { status: 200, page: isConfirmed ? alertsConfirmedPage(request) : askAlertsPage(request) }
}

/** Unpublished pages are included, because their subscribers may unsubscribe. */
function* followSubscriberLink(
  { purpose, token, isSubmitted }: EmailLinkVisit,
  { sealer, baseUrl, requiresDomainProof }: SiteOptions,
  now: number,
): DbWork<FormAnswer> {
  const isConfirm = purpose === 'confirm'
  const holder = isConfirm ? openConfirmToken(token, sealer, now) : openUnsubscribeToken(token, sealer)
  if (holder === undefined) return { status: 404, page: brokenLinkPage }
  const { orgId, id } = holder
  if (!isConfirm && isSubmitted) yield* unsubscribe(orgId, id)
  const row = yield* pageWithKey(holder, { baseUrl: baseUrl(), requiresDomainProof })
  if (row === undefined) return { status: 404, page: brokenLinkPage }
  const info = pageInfoOf(row, baseUrl())
  // The same if the subscriber was already removed.
  if (!isConfirm) return { status: 200, page: isSubmitted ? unsubscribedPage(info) : askUnsubscribePage(info) }
  const isKnown = isSubmitted ? yield* confirm(orgId, id, now) : yield* isWaitingOrConfirmed(orgId, id)
  if (!isKnown) return { status: 404, page: outcomePage(info, 'linkExpired') }
  return { status: 200, page: isSubmitted ? outcomePage(info, 'confirmed') : askConfirmPage(info) }
}

function* isWaitingOrConfirmed(orgId: string, id: string): DbWork<boolean> {
  const state = (yield* subscriberOf(orgId, id))?.state
  return state === 'PENDING' || state === 'CONFIRMED'
}
