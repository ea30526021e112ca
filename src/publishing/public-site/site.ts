import type { Sealer } from '../../lib/seal.ts'
import { type Soon, whenReady } from '../../lib/soon.ts'
import { Gatekeeper } from './gatekeeper.ts'
import { Encoded } from './http/encoded-content.ts'
import { FOREVER, NO_CACHING, securityHeaders } from './http/headers.ts'
import { type Answer, type Conditions, deliver, send } from './http/response.ts'
import type { SafeHtml } from './markup/html.ts'
import { Shelf, type ShelfOptions } from './page-cache.ts'
import { awayPage, missingPage, passwordPage, type Refusal } from './pages/standalone-pages.ts'
import { SUBSCRIBE_PATH } from './pages/subscription-pages.ts'
import type { FoundPage, Name } from './queries/pages.ts'
import { stylesheetNamed } from './styles/stylesheets.ts'
import { type Followed, Subscriptions } from './subscriptions.ts'
import { home, type Target, targetOf } from './targets.ts'
import { factsOf } from './views/page-view.ts'

/** A request for something below a status page. */
export interface Visit {
  readonly name: Name
  /** What links begin with. */
  readonly root: string
  /** Below the root. */
  readonly path: string
  readonly query: URLSearchParams
  readonly acceptEncoding: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly cookies: string | undefined
  /** Present where a form was sent. */
  readonly form?: Form
}

export interface Form {
  readonly read: () => Promise<URLSearchParams>
  /** Of the client. */
  readonly address: string
  readonly isSecure: boolean
}

export interface SiteOptions extends ShelfOptions {
  readonly sealer: Sealer
}

const HTML = 'text/html; charset=utf-8'

/** The public status pages: an address comes in, bytes go out. */
export class Site {
  readonly #options: SiteOptions
  readonly #shelf: Shelf
  readonly #gatekeeper: Gatekeeper
  readonly #subscriptions: Subscriptions
  readonly #missing = plainly(missingPage)
  readonly #away = plainly(awayPage, { 'retry-after': '5' })
  readonly #sheets = new Map<string, Encoded>()

  constructor(options: SiteOptions) {
    this.#options = options
    this.#shelf = new Shelf(options)
    this.#gatekeeper = new Gatekeeper(options.sealer)
    this.#subscriptions = new Subscriptions(options)
  }

  /** Something of this organization has changed. */
  changed(orgId: string): void {
    this.#shelf.changed(orgId)
  }

  /** Answers a visit; undefined where no page has the name, if the visit may be somebody else's then. */
  answer(visit: Visit): Soon<Answer>
  answer(visit: Visit, orElse: 'nothing'): Soon<Answer | undefined>
  answer(visit: Visit, orElse?: 'nothing'): Soon<Answer | undefined> {
    // Where a page has nothing of the kind it is still the page that says so.
    const target = targetOf(visit.path, visit.query)
    try {
      const found = this.#find(visit, target, orElse)
      return found instanceof Promise ? found.catch((error) => this.#fail(visit, error)) : found
    } catch (error) {
      return this.#fail(visit, error)
    }
  }

  /** A link from a mail to a subscriber. */
  async follow(followed: Followed, visit: Pick<Visit, 'acceptEncoding'>): Promise<Answer> {
    try {
      const { status, page } = await this.#subscriptions.follow(followed)
      return await send(plainly(page), visit.acceptEncoding, status)
    } catch (error) {
      return this.#fail(visit, error)
    }
  }

  missing(visit: Pick<Visit, 'acceptEncoding'>): Soon<Answer> {
    return send(this.#missing, visit.acceptEncoding, 404)
  }

  /** A stylesheet. */
  sheet(name: string, visit: Conditions): Soon<Answer> {
    let encoded = this.#sheets.get(name)
    if (encoded === undefined) {
      const css = stylesheetNamed(name)
      if (css === undefined) return this.missing(visit)
      const headers = { 'cache-control': FOREVER, 'x-content-type-options': 'nosniff' }
      encoded = new Encoded(css, 'text/css; charset=utf-8', headers)
      if (this.#sheets.size >= MOST_SHEETS) this.#sheets.clear()
      this.#sheets.set(name, encoded)
    }
    return deliver(encoded, visit)
  }

  #find(visit: Visit, target: Target | undefined, orElse: 'nothing' | undefined): Soon<Answer | undefined> {
    return whenReady(this.#shelf.find(visit.name, visit.root, target ?? home), (found) => {
      const { page } = found
      if (page === undefined) return orElse === 'nothing' ? undefined : this.missing(visit)
      if (visit.form !== undefined) return this.#takeForm(visit, page, visit.form)
      if (!this.#gatekeeper.admits(page, visit.cookies, this.#options.clock.now())) {
        return this.#ask(visit, page, { kind: 'none' })
      }
      return target !== undefined && 'encoded' in found ? deliver(found.encoded, visit) : this.missing(visit)
    })
  }

  async #takeForm(visit: Visit, page: FoundPage, form: Form): Promise<Answer> {
    const isAdmitted = this.#gatekeeper.admits(page, visit.cookies, this.#options.clock.now())
    if (visit.path === SUBSCRIBE_PATH && isAdmitted) return this.#subscribe(visit, page, form)
    // A page that has become public in the meantime is simply shown.
    if (page.visibility === 'PUBLIC') return redirect(addressOf(visit))
    const password = (await form.read()).get('password') ?? ''
    const verdict = await this.#gatekeeper.judge(
      page,
      password,
      { ...form, root: visit.root },
      this.#options.clock.now(),
    )
    if (verdict.kind === 'right') return redirect(addressOf(visit), verdict.cookie)
    return this.#ask(visit, page, verdict)
  }

  async #subscribe({ root, acceptEncoding }: Visit, page: FoundPage, { address, read }: Form): Promise<Answer> {
    const email = (await read()).get('email') ?? ''
    const said = await this.#subscriptions.take(page, { root, address, email })
    return said === undefined ? this.missing({ acceptEncoding }) : send(plainly(said.page), acceptEncoding, said.status)
  }

  #ask(visit: Visit, page: FoundPage, refusal: Refusal): Soon<Answer> {
    const { baseUrl } = this.#options
    const extra: Record<string, string> =
      refusal.kind === 'tooMany'
        ? { 'retry-after': `${Math.ceil(refusal.waitMs / 1000)}` }
        : { 'www-authenticate': 'Form realm="status page"' }
    const encoded = plainly(passwordPage(factsOf(page, baseUrl()), refusal), extra)
    return send(encoded, visit.acceptEncoding, refusal.kind === 'tooMany' ? 429 : 401)
  }

  #fail(visit: Pick<Visit, 'acceptEncoding'>, error: unknown): Soon<Answer> {
    this.#options.log.error({ err: error }, 'a status page could not be shown')
    return send(this.#away, visit.acceptEncoding, 503)
  }
}

/** Colours of so many pages are kept ready. */
const MOST_SHEETS = 500

function plainly(page: SafeHtml, headers: Readonly<Record<string, string>> = {}): Encoded {
  return new Encoded(String(page), HTML, {
    ...securityHeaders,
    'cache-control': NO_CACHING,
    'x-robots-tag': 'noindex',
    ...headers,
  })
}

/** Where the visitor is; made of what was understood, for a path such as //example.com would lead elsewhere. */
function addressOf({ root, path, query }: Visit): string {
  const isSound = targetOf(path, query) !== undefined
  return isSound ? `${root}${path}${query.size === 0 ? '' : `?${query}`}` : `${root}/`
}

function redirect(to: string, cookie?: string): Answer {
  const headers = ['location', to, 'cache-control', NO_CACHING, 'content-length', '0']
  if (cookie !== undefined) headers.push('set-cookie', cookie)
  return { status: 303, headers, body: undefined }
}
