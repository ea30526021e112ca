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
import { goneLinkPage } from './pages/standalone-pages.ts'
import {
  askConfirmPage,
  askUnsubscribePage,
  confirmedPage,
  noAddressPage,
  notedPage,
  overPage,
  tooManyPage,
  unsubscribedPage,
} from './pages/subscription-pages.ts'
import type { FoundPage, Place } from './queries/pages.ts'
import { factsOf, type PageFacts } from './views/page-view.ts'

export interface SubscriptionOptions {
  readonly database: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly baseUrl: () => string
  /** Whether there is a mail server to ask for confirmations with. */
  readonly canMail: boolean
}

export interface Said {
  readonly status: number
  readonly page: SafeHtml
}

/** Somebody who sent the form of a page. */
export interface Applicant {
  readonly root: string
  /** The network that the request came from. */
  readonly address: string
  readonly email: string
}

/** A link from a mail that somebody follows; `isPressed` once they pressed the button there. */
export interface Followed {
  readonly purpose: LinkPurpose
  readonly token: string
  readonly isPressed: boolean
}

const byId = statement(({ orgId, pageId }: Place) =>
  q.selectFrom('status_pages').selectAll().where('org_id', '=', orgId).where('id', '=', pageId),
)

/** What people do about being told of a page by mail. */
export class Subscriptions {
  readonly #options: SubscriptionOptions

  constructor(options: SubscriptionOptions) {
    this.#options = options
  }

  /** Takes an address from the form of a page; undefined where the page has no such form. */
  async take(page: FoundPage, { root, address: client, email }: Applicant): Promise<Said | undefined> {
    const { database, clock, baseUrl, canMail } = this.#options
    const facts = factsOf(page, baseUrl())
    if (!canMail || !facts.subscribersEnabled) return undefined
    const address = parseAddress(email)
    if (address === undefined) return { status: 400, page: noAddressPage(facts, root, email) }
    const signUp = { orgId: page.org_id, pageId: page.id, address, client }
    const outcome = await database.write(() => subscribe(signUp, clock.now()))
    return outcome === 'noted' ? { status: 200, page: notedPage(facts) } : { status: 429, page: tooManyPage(facts) }
  }

  async follow({ purpose, token, isPressed }: Followed): Promise<Said> {
    const { sealer, clock } = this.#options
    const now = clock.now()
    const holder = purpose === 'confirm' ? openConfirmToken(token, sealer, now) : openUnsubscribeToken(token, sealer)
    if (holder === undefined) return { status: 404, page: goneLinkPage }
    return purpose === 'confirm' ? this.#confirm(holder, isPressed, now) : this.#unsubscribe(holder, isPressed)
  }

  async #confirm(holder: LinkSubject, isPressed: boolean, now: number): Promise<Said> {
    const { database } = this.#options
    const facts = await this.#factsOf(holder)
    if (facts === undefined) return { status: 404, page: goneLinkPage }
    const { orgId, id } = holder
    const isThere = await (isPressed ? database.write(() => confirm(orgId, id, now)) : database.read(isAsked(holder)))
    if (!isThere) return { status: 404, page: overPage(facts) }
    return { status: 200, page: isPressed ? confirmedPage(facts) : askConfirmPage(facts) }
  }

  /** Whoever has left already is told the same: that they get no more mail. */
  async #unsubscribe(holder: LinkSubject, isPressed: boolean): Promise<Said> {
    const { database } = this.#options
    const { orgId, id } = holder
    if (isPressed) await database.write(() => unsubscribe(orgId, id))
    const facts = await this.#factsOf(holder)
    if (facts === undefined) return { status: 404, page: goneLinkPage }
    return { status: 200, page: isPressed ? unsubscribedPage(facts) : askUnsubscribePage(facts) }
  }

  /** Also of a page that is not published at the moment: its subscribers may leave. */
  async #factsOf({ orgId, pageId }: LinkSubject): Promise<PageFacts | undefined> {
    const { database, baseUrl } = this.#options
    const row = await database.read(first(byId, { orgId, pageId }))
    return row && factsOf(row, baseUrl())
  }
}

/** Whether somebody still waits for this answer, or has had it. */
function* isAsked({ orgId, id }: LinkSubject): DbWork<boolean> {
  const state = (yield* subscriberOf(orgId, id))?.state
  return state === 'PENDING' || state === 'CONFIRMED'
}
