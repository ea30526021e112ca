import { subscriberKinds } from '../../storage/schema/subscribers.ts'
import { logoNamed } from '../status-pages/logo.ts'
import { Gatekeeper } from './gatekeeper.ts'
import {
  EncodedContent,
  type PageResponse,
  type RequestConditions,
  respond,
  respondWithStatus,
} from './http/encoded-content.ts'
import { FOREVER, NO_CACHING, securityHeaders } from './http/headers.ts'
import type { SafeHtml } from './markup/html.ts'
import { PageCache } from './page-cache.ts'
import { SUBSCRIBE_PATH } from './pages/layout.ts'
import { notFoundOnPage, notFoundPage, passwordPage, type Refusal, unavailablePage } from './pages/standalone-pages.ts'
import type { SlugOrDomain, StoredPage } from './queries/pages.ts'
import { stylesheetNamed } from './styles/stylesheets.ts'
import { answerForm, answerLink, type EmailLinkVisit, type SiteOptions } from './subscriptions.ts'
import { home, targetOf } from './targets.ts'
import { pageInfoOf } from './views/page-info.ts'

/** A request for a status page or anything below it. */
export interface PageRequest extends RequestConditions {
  readonly name: SlugOrDomain
  /** Prefix of all links: `/status/SLUG`, or empty on a custom domain. */
  readonly root: string
  /** Below the root. */
  readonly path: string
  readonly query: URLSearchParams
  readonly cookies: string | undefined
  /** Present in a POST request. */
  readonly form?: Form
}

export interface Form {
  readonly read: () => Promise<URLSearchParams>
  /** IP address of the client. */
  readonly address: string
  readonly isSecure: boolean
}

type AcceptedEncodings = Pick<RequestConditions, 'acceptEncoding'>

const MAX_STYLESHEETS = 500
/** Also an image that somebody opens by its address can do nothing. */
const imageHeaders = { 'content-security-policy': "default-src 'none'; sandbox" }

/** The public status pages. */
export class Site {
  readonly #options: SiteOptions
  readonly #cache: PageCache
  readonly #gatekeeper: Gatekeeper
  readonly #notFound = uncached(notFoundPage)
  readonly #unavailable = uncached(unavailablePage, { 'retry-after': '5' })
  readonly #stylesheets = new Map<string, EncodedContent>()

  constructor(options: SiteOptions) {
    this.#options = options
    this.#cache = new PageCache(options)
    this.#gatekeeper = new Gatekeeper(options.sealer)
  }

  /** Invalidates the cached pages of an organization. */
  changed(orgId: string): void {
    this.#cache.changed(orgId)
  }

  async answer(request: PageRequest): Promise<PageResponse> {
    return (await this.answerIfPage(request)) ?? this.notFound(request)
  }

  /** Undefined if no published page has this slug or domain. */
  async answerIfPage(request: PageRequest): Promise<PageResponse | undefined> {
    try {
      return await this.#answer(request)
    } catch (error) {
      return this.#fail(request, error)
    }
  }

  /** Answers a link from an email to a subscriber or to an alert contact. */
  async followEmailLink(link: EmailLinkVisit, { acceptEncoding }: AcceptedEncodings): Promise<PageResponse> {
    try {
      const { status, page } = await answerLink(link, this.#options)
      return await respondWithStatus(status, uncached(page), acceptEncoding)
    } catch (error) {
      return this.#fail({ acceptEncoding }, error)
    }
  }

  notFound({ acceptEncoding }: AcceptedEncodings): Promise<PageResponse> {
    return respondWithStatus(404, this.#notFound, acceptEncoding)
  }

  async stylesheet(name: string, request: RequestConditions): Promise<PageResponse> {
    let content = this.#stylesheets.get(name)
    if (content === undefined) {
      const css = stylesheetNamed(name)
      if (css === undefined) return this.#logo(name, request)
      const headers = { 'cache-control': FOREVER, 'x-content-type-options': 'nosniff' }
      content = new EncodedContent(css, 'text/css; charset=utf-8', headers)
      if (this.#stylesheets.size >= MAX_STYLESHEETS) this.#stylesheets.clear()
      this.#stylesheets.set(name, content)
    }
    return respond(content, request)
  }

  async #logo(name: string, request: RequestConditions): Promise<PageResponse> {
    const logo = await this.#options.database.read(logoNamed(name))
    if (logo === undefined) return this.notFound(request)
    const headers = { 'cache-control': FOREVER, 'x-content-type-options': 'nosniff', ...imageHeaders }
    // Images are compressed already.
    return respond(new EncodedContent(logo.bytes, logo.type, headers), { ...request, acceptEncoding: undefined })
  }

  async #answer(request: PageRequest): Promise<PageResponse | undefined> {
    const target = targetOf(request.path, request.query)
    const found = await this.#cache.find(request.name, request.root, target ?? home)
    const { page } = found
    if (page === undefined) return undefined
    if (request.form !== undefined) return this.#takeForm(request, page, request.form)
    if (!this.#gatekeeper.admits(page, request.cookies, this.#options.clock.now())) {
      return this.#askPassword(request, page, { kind: 'none' })
    }
    return target !== undefined && 'content' in found
      ? respond(found.content, request)
      : this.#notFoundOn(request, page)
  }

  /** For an unknown address below a page that this visitor may see. */
  #notFoundOn({ root, acceptEncoding }: PageRequest, page: StoredPage): Promise<PageResponse> {
    const html = notFoundOnPage(pageInfoOf(page, this.#options.baseUrl()), root)
    return respondWithStatus(404, uncached(html), acceptEncoding)
  }

  async #takeForm(request: PageRequest, page: StoredPage, form: Form): Promise<PageResponse> {
    const isAdmitted = this.#gatekeeper.admits(page, request.cookies, this.#options.clock.now())
    if (request.path === SUBSCRIBE_PATH && isAdmitted) return this.#subscribe(request, page, form)
    // The page may have become public after the form was shown.
    if (page.visibility === 'PUBLIC') return redirect(urlOf(request))
    const password = (await form.read()).get('password') ?? ''
    const visitor = { ...form, root: request.root }
    const verdict = await this.#gatekeeper.judge(page, password, visitor, this.#options.clock.now())
    if (verdict.kind === 'right') return redirect(urlOf(request), verdict.cookie)
    return this.#askPassword(request, page, verdict)
  }

  async #subscribe(request: PageRequest, page: StoredPage, { address, read }: Form): Promise<PageResponse> {
    const form = await read()
    const kind = subscriberKinds.find((name) => name.toLowerCase() === form.get('kind')) ?? 'EMAIL'
    const value = form.get(kind === 'EMAIL' ? 'email' : 'url') ?? ''
    const result = await answerForm(page, { root: request.root, client: address, kind, value }, this.#options)
    if (result === undefined) return this.#notFoundOn(request, page)
    return respondWithStatus(result.status, uncached(result.page), request.acceptEncoding)
  }

  #askPassword({ acceptEncoding }: PageRequest, page: StoredPage, refusal: Refusal): Promise<PageResponse> {
    const html = passwordPage(pageInfoOf(page, this.#options.baseUrl()), refusal)
    if (refusal.kind === 'tooMany') {
      const headers = { 'retry-after': `${Math.ceil(refusal.waitMs / 1000)}` }
      return respondWithStatus(429, uncached(html, headers), acceptEncoding)
    }
    const headers = { 'www-authenticate': 'Form realm="status page"' }
    return respondWithStatus(401, uncached(html, headers), acceptEncoding)
  }

  #fail({ acceptEncoding }: AcceptedEncodings, error: unknown): Promise<PageResponse> {
    this.#options.log.error({ err: error }, 'cannot serve a status page')
    return respondWithStatus(503, this.#unavailable, acceptEncoding)
  }
}

function uncached(page: SafeHtml, headers: Readonly<Record<string, string>> = {}): EncodedContent {
  return new EncodedContent(String(page), 'text/html; charset=utf-8', {
    ...securityHeaders,
    'cache-control': NO_CACHING,
    'x-robots-tag': 'noindex',
    ...headers,
  })
}

/** The URL to redirect back to. Unknown paths are dropped, because a path such as //example.com would leave this server. */
function urlOf({ root, path, query }: PageRequest): string {
  const isKnown = targetOf(path, query) !== undefined
  return isKnown ? `${root}${path}${query.size === 0 ? '' : `?${query}`}` : `${root}/`
}

function redirect(to: string, cookie?: string): PageResponse {
  const headers = ['location', to, 'cache-control', NO_CACHING, 'content-length', '0']
  if (cookie !== undefined) headers.push('set-cookie', cookie)
  return { status: 303, headers, body: undefined }
}
