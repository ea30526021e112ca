import type { Clock } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { parseAddress } from '../../notifications/subscribers/address.ts'
import { confirm } from '../../notifications/subscribers/confirm.ts'
import {
  type LinkPurpose,
  type LinkSubject,
  openConfirmToken,
  openUnsubscribeToken,
} from '../../notifications/subscribers/links.ts'
import { subscriberOf } from '../../notifications/subscribers/queries.ts'
import { subscribe } from '../../notifications/subscribers/subscribe.ts'
import { unsubscribe } from '../../notifications/subscribers/unsubscribe.ts'
import type { Database } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import type { SafeHtml } from './markup/html.ts'
import { brokenLinkPage } from './pages/standalone-pages.ts'
import {
  askConfirmPage,
  askUnsubscribePage,
  checkInboxPage,
  confirmedPage,
  invalidEmailPage,
  linkExpiredPage,
  tooManyPage,
  unsubscribedPage,
} from './pages/subscription-pages.ts'
import { pageWithKey, type StoredPage } from './queries/pages.ts'
import { type PageInfo, pageInfoOf } from './views/page-view.ts'

export interface SubscriptionOptions {
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly baseUrl: () => string
  readonly requiresDomainProof: boolean
  /** Whether a mail server is configured. */
  readonly canMail: boolean
}

export interface SubscriptionResult {
  readonly status: number
  readonly page: SafeHtml
}

/** The subscription form of a page, as submitted. */
export interface SubscribeRequest {
  readonly root: string
  /** IP address of the client. */
  readonly address: string
  readonly email: string
}

/** A link from an email. Opening it shows a button; `isSubmitted` once the button was pressed. */
export interface EmailLinkVisit {
  readonly purpose: LinkPurpose
  readonly token: string
  readonly isSubmitted: boolean
}

/** Subscribing to a page by email, confirming and unsubscribing. */
export class Subscriptions {
  readonly #options: SubscriptionOptions

  constructor(options: SubscriptionOptions) {
    this.#options = options
  }

  /** Undefined if the page has no subscription form. */
  async subscribe(
    page: StoredPage,
    { root, address: client, email }: SubscribeRequest,
  ): Promise<SubscriptionResult | undefined> {
    const { database, clock, baseUrl, canMail } = this.#options
    const info = pageInfoOf(page, baseUrl())
    if (!canMail || !info.subscribersEnabled) return undefined
    const address = parseAddress(email)
    if (address === undefined) return { status: 400, page: invalidEmailPage(info, root, email) }
    const signUp = { orgId: page.org_id, pageId: page.id, address, client }
    const outcome = await database.write(() => subscribe(signUp, clock.now()))
    return outcome === 'accepted'
      ? { status: 200, page: checkInboxPage(info) }
      : { status: 429, page: tooManyPage(info) }
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
