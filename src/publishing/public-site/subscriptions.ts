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
import { type DbWork, first, q, statement } from '../../storage/query.ts'
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
import type { PageKey, StoredPage } from './queries/pages.ts'
import { type PageInfo, pageInfoOf } from './views/page-view.ts'

export interface SubscriptionOptions {
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly baseUrl: () => string
  /** Whether there is a mail server to ask for confirmations with. */
  readonly canMail: boolean
}

export interface SubscriptionResult {
  readonly status: number
  readonly page: SafeHtml
}

/** Somebody who sent the form of a page. */
export interface SubscribeRequest {
  readonly root: string
  /** The network that the request came from. */
  readonly address: string
  readonly email: string
}

/** A link from a mail that somebody follows; `isPressed` once they pressed the button there. */
export interface EmailLinkVisit {
  readonly purpose: LinkPurpose
  readonly token: string
  readonly isSubmitted: boolean
}

const byId = statement(({ orgId, pageId }: PageKey) =>
  q.selectFrom('status_pages').selectAll().where('org_id', '=', orgId).where('id', '=', pageId),
)

/** What people do about being told of a page by mail. */
export class Subscriptions {
  readonly #options: SubscriptionOptions

  constructor(options: SubscriptionOptions) {
    this.#options = options
  }

  /** Takes an address from the form of a page; undefined where the page has no such form. */
  async subscribe(
    page: StoredPage,
    { root, address: client, email }: SubscribeRequest,
  ): Promise<SubscriptionResult | undefined> {
    const { database, clock, baseUrl, canMail } = this.#options
    const facts = pageInfoOf(page, baseUrl())
    if (!canMail || !facts.subscribersEnabled) return undefined
    const address = parseAddress(email)
    if (address === undefined) return { status: 400, page: invalidEmailPage(facts, root, email) }
    const signUp = { orgId: page.org_id, pageId: page.id, address, client }
    const outcome = await database.write(() => subscribe(signUp, clock.now()))
    return outcome === 'noted'
      ? { status: 200, page: checkInboxPage(facts) }
      : { status: 429, page: tooManyPage(facts) }
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
    const facts = await this.#pageInfoOf(holder)
    if (facts === undefined) return { status: 404, page: brokenLinkPage }
    const { orgId, id } = holder
    const isThere = await (isSubmitted ? database.write(() => confirm(orgId, id, now)) : database.read(isAsked(holder)))
    if (!isThere) return { status: 404, page: linkExpiredPage(facts) }
    return { status: 200, page: isSubmitted ? confirmedPage(facts) : askConfirmPage(facts) }
  }

  /** Whoever has left already is told the same: that they get no more mail. */
  async #unsubscribe(holder: LinkSubject, isSubmitted: boolean): Promise<SubscriptionResult> {
    const { database } = this.#options
    const { orgId, id } = holder
    if (isSubmitted) await database.write(() => unsubscribe(orgId, id))
    const facts = await this.#pageInfoOf(holder)
    if (facts === undefined) return { status: 404, page: brokenLinkPage }
    return { status: 200, page: isSubmitted ? unsubscribedPage(facts) : askUnsubscribePage(facts) }
  }

  /** Also of a page that is not published at the moment: its subscribers may leave. */
  async #pageInfoOf({ orgId, pageId }: LinkSubject): Promise<PageInfo | undefined> {
    const { database, baseUrl } = this.#options
    const row = await database.read(first(byId, { orgId, pageId }))
    return row && pageInfoOf(row, baseUrl())
  }
}

/** Whether somebody still waits for this answer, or has had it. */
function* isAsked({ orgId, id }: LinkSubject): DbWork<boolean> {
  const state = (yield* subscriberOf(orgId, id))?.state
  return state === 'PENDING' || state === 'CONFIRMED'
}
