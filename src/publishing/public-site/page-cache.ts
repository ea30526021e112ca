import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Database } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import type { DomainRules } from '../custom-domains/served.ts'
import { parseSettings } from '../status-pages/render.ts'
import { EncodedContent } from './http/encoded-content.ts'
import { NO_CACHING, PRIVATE_CACHING, PUBLIC_CACHING, securityHeaders } from './http/headers.ts'
import { renderInSteps } from './markup/markdown.ts'
import { publishedPage, type SlugOrDomain, type StoredPage } from './queries/pages.ts'
import { ownTurn, queueRendering } from './render-queue.ts'
import type { Render, Target } from './targets.ts'

/** A rendered page is served from memory for this long. */
export const FRESH_MS = 2_000
/** If reading newer data takes longer than this, the previous rendering is served. */
const MAX_WAIT_MS = 1_000
const MAX_BYTES = 64 * 1024 * 1024

export interface RenderedPage {
  readonly page: StoredPage
  /** When the data was read. */
  readonly at: number
  /** Renders the same data again, to add a note about its age. */
  readonly render: Render
  readonly content: EncodedContent
  readonly isStale: boolean
}

/** The page does not exist, or it exists but has no such target. */
export interface Missing {
  readonly page: StoredPage | undefined
}

interface Entry {
  readonly rendered: RenderedPage
  freshUntil: number
}

interface PendingRead {
  /** From performance.now(). */
  readonly startedAt: number
  /** Undefined if the page was not in the cache, so that its organization is not known yet. */
  readonly orgId: string | undefined
  /** The organization changed after the read began, so the result must not be cached. */
  isOutdated: boolean
  result?: Promise<RenderedPage | Missing>
}

export interface PageCacheOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly baseUrl: () => string
  readonly requiresDomainProof: boolean
  /** Whether a mail server is configured. */
  readonly canMail: boolean
  /** Whether pages name Pharos in their footer. */
  readonly poweredBy: boolean
}

interface CacheRequest {
  readonly key: string
  readonly name: SlugOrDomain
  readonly root: string
  readonly target: Target
}

/**
 * Keeps rendered pages in memory. A page is read and rendered at most once in FRESH_MS for any number of requests, and again
 * at once after a change made through this node. If the database fails or is slow, the last rendering is served with a note
 * about its age.
 */
export class PageCache {
  readonly #options: PageCacheOptions
  /** Ordered by when they were rendered, oldest first. */
  readonly #entries = new Map<string, Entry>()
  readonly #pending = new Map<string, PendingRead>()
  #bytes = 0

  constructor(options: PageCacheOptions) {
    this.#options = options
  }

  /** Throws if the page is not in the cache and cannot be read. */
  async find(name: SlugOrDomain, root: string, target: Target): Promise<RenderedPage | Missing> {
    const key = `${'slug' in name ? `/${name.slug}` : name.domain} ${target.key}`
    const known = this.#entries.get(key)
    const now = this.#options.clock.now()
    if (known !== undefined && now < known.freshUntil && now >= known.rendered.at) return known.rendered
    const request: CacheRequest = { key, name, root, target }
    return known === undefined ? this.#read(request) : this.#refresh(request, known)
  }

  /** Invalidates all pages of an organization, including reads in progress. */
  changed(orgId: string): void {
    for (const entry of this.#entries.values()) if (entry.rendered.page.org_id === orgId) entry.freshUntil = 0
    for (const [key, read] of this.#pending) {
      if (read.orgId !== undefined && read.orgId !== orgId) continue
      read.isOutdated = true
      this.#pending.delete(key)
    }
  }

  async #refresh(request: CacheRequest, known: Entry): Promise<RenderedPage | Missing> {
    const result = this.#read(request)
    const startedAt = this.#pending.get(request.key)?.startedAt ?? performance.now()
    try {
      return await withTimeout(result, startedAt + MAX_WAIT_MS - performance.now())
    } catch (error) {
      await ownTurn()
      return this.#stale(request, known, error)
    }
  }

  /** Concurrent requests for the same key share one read. */
  #read(request: CacheRequest): Promise<RenderedPage | Missing> {
    const { key } = request
    const running = this.#pending.get(key)?.result
    if (running !== undefined) return running
    const orgId = this.#entries.get(key)?.rendered.page.org_id
    const read: PendingRead = { startedAt: performance.now(), orgId, isOutdated: false }
    this.#pending.set(key, read)
    read.result = this.#readAndRender(request, read).finally(() => {
      if (this.#pending.get(key) === read) this.#pending.delete(key)
    })
    return read.result
  }

  async #readAndRender(request: CacheRequest, read: PendingRead): Promise<RenderedPage | Missing> {
    const { database, requiresDomainProof } = this.#options
    const rules = { baseUrl: this.#options.baseUrl(), requiresDomainProof }
    // Requests for pages that do not exist need no place in the queue.
    const orgId = read.orgId ?? (await database.read(publishedPage(request.name, rules)))?.org_id
    if (orgId === undefined) return { page: undefined }
    return queueRendering(orgId, () => this.#readInTurn(request, read, rules))
  }

  async #readInTurn(request: CacheRequest, read: PendingRead, rules: DomainRules): Promise<RenderedPage | Missing> {
    const { database, clock } = this.#options
    await ownTurn()
    const at = clock.now()
    const { page, render } = await database.read(readTarget(request, rules, at))
    if (page === undefined || render === undefined) {
      if (!read.isOutdated) this.#delete(request.key)
      return { page }
    }
    await ownTurn()
    const rendered = await renderInSteps(() => this.#render(request, { page, at, render }, null))
    if (!read.isOutdated) this.#put(request.key, { rendered, freshUntil: clock.now() + FRESH_MS })
    return rendered
  }

  /** The last rendering, with a note about its age. */
  #stale(request: CacheRequest, known: Entry, error: unknown): RenderedPage {
    const { clock, log } = this.#options
    const now = clock.now()
    const current = this.#entries.get(request.key) ?? known
    if (current.rendered.isStale && now < current.freshUntil) return current.rendered
    if (!current.rendered.isStale) {
      log.warn({ err: error, page: current.rendered.page.id }, 'serving a stale status page')
    }
    const rendered = this.#render(request, current.rendered, now - current.rendered.at)
    this.#put(request.key, { rendered, freshUntil: now + FRESH_MS })
    return rendered
  }

  #render(
    { root, target }: CacheRequest,
    { page, at, render }: Pick<RenderedPage, 'page' | 'at' | 'render'>,
    staleMs: number | null,
  ): RenderedPage {
    const { canMail, poweredBy } = this.#options
    const text = String(render({ root, staleMs, canMail, hasForms: true, poweredBy }))
    const content = new EncodedContent(text, target.type, headersFor(page, target, staleMs))
    return { page, at, render, content, isStale: staleMs !== null }
  }

  #put(key: string, entry: Entry): void {
    this.#delete(key)
    this.#entries.set(key, entry)
    this.#bytes += entry.rendered.content.sizeBytes
    for (const [oldest] of this.#entries) {
      if (this.#bytes <= MAX_BYTES || oldest === key) break
      this.#delete(oldest)
    }
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.rendered.content.sizeBytes
  }
}

interface ReadTarget {
  readonly page: StoredPage | undefined
  readonly render: Render | undefined
}

function* readTarget({ name, target }: CacheRequest, rules: DomainRules, now: number): DbWork<ReadTarget> {
  const page = yield* publishedPage(name, rules)
  return { page, render: page && (yield* target.read(page, rules.baseUrl, now)) }
}

function headersFor(page: StoredPage, target: Target, staleMs: number | null): Record<string, string> {
  const caching = page.visibility === 'PASSWORD' ? PRIVATE_CACHING : PUBLIC_CACHING
  return {
    ...securityHeaders,
    'cache-control': staleMs === null ? caching : NO_CACHING,
    ...(parseSettings(page.settings).hideFromSearch && { 'x-robots-tag': 'noindex' }),
    ...(staleMs !== null && { age: `${Math.floor(staleMs / 1000)}` }),
    ...(target.allowsCrossOrigin && page.visibility === 'PUBLIC' && { 'access-control-allow-origin': '*' }),
  }
}

function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The database took too long')), Math.max(0, ms))
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
