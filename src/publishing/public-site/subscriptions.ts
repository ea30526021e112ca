import type { Clock } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { parseAddress } from '../../notifications/subscribers/address.ts'
import { confirm } from '../../notifications/subscribers/confirm.ts'
import { type Endpoint, parseEndpoint } from '../../notifications/subscribers/endpoint.ts'
import {
  type LinkPurpose,
  type LinkSubject,
  openConfirmToken,
  openUnsubscribeToken,
} from '../../notifications/subscribers/links.ts'
import { subscriberOf, unsubscribe } from '../../notifications/subscribers/queries.ts'
import { subscribe } from '../../notifications/subscribers/subscribe.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import type { Database } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import type { SubscriberKind } from '../../storage/schema/subscribers.ts'
import type { SafeHtml } from './markup/html.ts'
import { brokenLinkPage } from './pages/standalone-pages.ts'
import {
  askConfirmPage,
  askUnsubscribePage,
  checkEndpointPage,
  checkInboxPage,
  confirmedPage,
  invalidAddressPage,
  linkExpiredPage,
  tooManyPage,
  unsubscribedPage,
} from './pages/subscription-pages.ts'
import { pageWithKey, type StoredPage } from './queries/pages.ts'
import { type PageInfo, pageInfoOf } from './views/page-info.ts'

export interface SubscriptionOptions {
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly baseUrl: () => string
  readonly requiresDomainProof: boolean
  /** Whether a mail server is configured. */
  readonly canMail: boolean
  /** Which addresses webhooks may connect to. */
  readonly subscriberPolicy: AddressPolicy
}

export interface SubscriptionResult {
  readonly status: number
  readonly page: SafeHtml
}

/** The subscription form of a page, as submitted. */
export interface SubscribeRequest {
  readonly root: string
  /** IP address of the client. */
  readonly client: string
  readonly kind: SubscriberKind
  /** The e-mail address or URL, as entered. */
  readonly value: string
}

/** A link from an email. Opening it shows a button; `isSubmitted` once the button was pressed. */
export interface EmailLinkVisit {
  readonly purpose: LinkPurpose
  readonly token: string
  readonly isSubmitted: boolean
}

/** Subscribing to a page, confirming and unsubscribing. */
export class Subscriptions {
  readonly #options: SubscriptionOptions

  constructor(options: SubscriptionOptions) {
    this.#options = options
  }

  /** Undefined if the page has no subscription form. */
  async subscribe(page: StoredPage, request: SubscribeRequest): Promise<SubscriptionResult | undefined> {
    const { database, clock, sealer, baseUrl, canMail } = this.#options
    const info = pageInfoOf(page, baseUrl())
    if (!info.subscribersEnabled || (request.kind === 'EMAIL' && !canMail)) return undefined
    const { client, root } = request
    const to = this.#parse(request)
    if (to === undefined) return { status: 400, page: invalidAddressPage(info, root, request) }
    const signUp = { orgId: page.org_id, pageId: page.id, to, client }
    const outcome = await database.write(() => subscribe(signUp, sealer, clock.now()))
    if (outcome === 'tooMany') return { status: 429, page: tooManyPage(info) }
    return { status: 200, page: request.kind === 'EMAIL' ? checkInboxPage(info) : checkEndpointPage(info) }
  }

  #parse({ kind, value }: SubscribeRequest): string | Endpoint | undefined {
    return kind === 'EMAIL' ? parseAddress(value) : parseEndpoint(kind, value, this.#options.subscriberPolicy)
  }

  async follow({ purpose, token, isSubmitted }: EmailLinkVisit): Promise<SubscriptionResult> {
    const { sealer, clock } = this.#options
    const now = clock.now()
    const holder = purpose === 'confirm' ? openConfirmToken(token, sealer, now) : openUnsubscribeToken(token, sealer)
    if (holder === undefined) return { status: 404, page: brokenLinkPage }
    return purpose === 'confirm' ? this.#confirm(holder, isSubmitted, now) : this.#unsubscribe(holder, isSubmitted)
  }

  async #confirm(holder: LinkSubject, isSubmitted: boolean, now: number): Promise<SubscriptionResult> {
    const { database } = this.#options
    const info = await this.#pageInfoOf(holder)
    if (info === undefined) return { status: 404, page: brokenLinkPage }
    const { orgId, id } = holder
    const isKnown = await (isSubmitted
      ? database.write(() => confirm(orgId, id, now))
      : database.read(isKnownSubscriber(holder)))
    if (!isKnown) return { status: 404, page: linkExpiredPage(info) }
    return { status: 200, page: isSubmitted ? confirmedPage(info) : askConfirmPage(info) }
  }

  /** Answers the same if the subscriber was already removed. */
  async #unsubscribe(holder: LinkSubject, isSubmitted: boolean): Promise<SubscriptionResult> {
    const { database } = this.#options
    const { orgId, id } = holder
    if (isSubmitted) await database.write(() => unsubscribe(orgId, id))
    const info = await this.#pageInfoOf(holder)
    if (info === undefined) return { status: 404, page: brokenLinkPage }
    return { status: 200, page: isSubmitted ? unsubscribedPage(info) : askUnsubscribePage(info) }
  }

  /** Includes unpublished pages, because their subscribers may unsubscribe. */
  async #pageInfoOf({ orgId, pageId }: LinkSubject): Promise<PageInfo | undefined> {
    const { database, requiresDomainProof } = this.#options
    const baseUrl = this.#options.baseUrl()
    const row = await database.read(pageWithKey({ orgId, pageId }, { baseUrl, requiresDomainProof }))
    return row && pageInfoOf(row, baseUrl)
  }
}

/** False if the subscriber does not exist any more. */
function* isKnownSubscriber({ orgId, id }: LinkSubject): DbWork<boolean> {
  const state = (yield* subscriberOf(orgId, id))?.state
  return state === 'PENDING' || state === 'CONFIRMED'
}
