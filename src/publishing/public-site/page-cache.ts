import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Soon, whenReady } from '../../lib/soon.ts'
import type { Database } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { parseSettings } from '../status-pages/render.ts'
import { Encoded } from './http/encoded-content.ts'
import { NO_CACHING, PRIVATE_CACHING, PUBLIC_CACHING, securityHeaders } from './http/headers.ts'
import { type FoundPage, type Name, publishedPage } from './queries/pages.ts'
import type { Draw, Target } from './targets.ts'

/** For so long a page is served as it was drawn: what a check finds is seen a moment later. */
export const FRESH_MS = 2_000
/** A visitor waits so long for newer data before getting what there is. */
const PATIENCE_MS = 1_000
const MOST_BYTES = 64 * 1024 * 1024

/** A page as it was drawn, and all that is needed to draw it once more. */
export interface Drawn {
  readonly page: FoundPage
  /** When the data was read. */
  readonly at: number
  readonly draw: Draw
  readonly encoded: Encoded
  readonly isStale: boolean
}

/** There is no such page, or there is one without such a thing. */
export interface Missing {
  readonly page: FoundPage | undefined
}

interface Entry {
  drawn: Drawn
  freshUntil: number
}

interface Reading {
  readonly since: number
  /** Whose page it is, as far as that is known before it is read. */
  readonly orgId: string | undefined
  /** A change came meanwhile, of which it may know nothing. */
  isOvertaken: boolean
  outcome?: Promise<Drawn | Missing>
}

export interface ShelfOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly baseUrl: () => string
  /** Whether there is a mail server to tell readers with. */
  readonly canMail: boolean
}

/**
 * Pages as bytes. A page is read and drawn at most once in two seconds however many ask for it, and at once after a
 * change that came in through this node. One that cannot be read is shown as it was, and says how old it is.
 */
export class Shelf {
  readonly #options: ShelfOptions
  readonly #entries = new Map<string, Entry>()
  readonly #ofOrg = new Map<string, Set<string>>()
  readonly #underWay = new Map<string, Reading>()
  #bytes = 0

  constructor(options: ShelfOptions) {
    this.#options = options
  }

  /** What is shown at an address. Fails when it cannot be read and never was. */
  find(name: Name, root: string, target: Target): Soon<Drawn | Missing> {
    const key = `${'slug' in name ? `/${name.slug}` : name.domain} ${target.key}`
    const known = this.#entries.get(key)
    const now = this.#options.clock.now()
    if (known !== undefined && now < known.freshUntil && now >= known.drawn.at) return known.drawn
    const request: Request = { key, name, root, target }
    return known === undefined ? this.#read(request) : this.#renew(request, known)
  }

  /** Something of this organization has changed: who asks for its pages from now on is shown it. */
  changed(orgId: string): void {
    for (const key of this.#ofOrg.get(orgId) ?? []) {
      const entry = this.#entries.get(key)
      if (entry !== undefined) entry.freshUntil = 0
    }
    for (const [key, reading] of this.#underWay) {
      if (reading.orgId !== undefined && reading.orgId !== orgId) continue
      reading.isOvertaken = true
      this.#underWay.delete(key)
    }
  }

  #renew(request: Request, known: Entry): Soon<Drawn | Missing> {
    let outcome: Soon<Drawn | Missing>
    try {
      outcome = this.#read(request)
    } catch (error) {
      return this.#stale(request, known, error)
    }
    if (!(outcome instanceof Promise)) return outcome
    const waitedMs = performance.now() - (this.#underWay.get(request.key)?.since ?? 0)
    return inTime(outcome, PATIENCE_MS - waitedMs).catch((error) => this.#stale(request, known, error))
  }

  /** Reads and draws, once at a time for each key. */
  #read(request: Request): Soon<Drawn | Missing> {
    const { key } = request
    const running = this.#underWay.get(key)?.outcome
    if (running !== undefined) return running
    const { database, clock, baseUrl } = this.#options
    const now = clock.now()
    const orgId = this.#entries.get(key)?.drawn.page.org_id
    const reading: Reading = { since: performance.now(), orgId, isOvertaken: false }
    const read = database.read(readTarget(request, baseUrl(), now))
    const drawn = whenReady(read, (found) => this.#keep(request, found, now, reading))
    if (!(drawn instanceof Promise)) return drawn
    reading.outcome = drawn.finally(() => {
      if (this.#underWay.get(key) === reading) this.#underWay.delete(key)
    })
    this.#underWay.set(key, reading)
    return reading.outcome
  }

  /** Overtaken, what was read is for those alone who asked before the change. */
  #keep(request: Request, { page, draw }: Found, at: number, { isOvertaken }: Reading): Drawn | Missing {
    if (page === undefined || draw === undefined) {
      if (!isOvertaken) this.#drop(request.key)
      return { page }
    }
    const drawn = this.#draw(request, { page, at, draw }, null)
    if (!isOvertaken) this.#put(request.key, { drawn, freshUntil: this.#options.clock.now() + FRESH_MS })
    return drawn
  }

  /** What was drawn last, with its age on it. */
  #stale(request: Request, known: Entry, error: unknown): Drawn {
    const { clock, log } = this.#options
    const now = clock.now()
    const current = this.#entries.get(request.key) ?? known
    if (current.drawn.isStale && now < current.freshUntil) return current.drawn
    if (!current.drawn.isStale) {
      log.warn({ err: error, page: current.drawn.page.id }, 'a status page is shown as it was')
    }
    const drawn = this.#draw(request, current.drawn, now - current.drawn.at)
    this.#put(request.key, { drawn, freshUntil: now + FRESH_MS })
    return drawn
  }

  #draw(
    { root, target }: Request,
    { page, at, draw }: Pick<Drawn, 'page' | 'at' | 'draw'>,
    staleMs: number | null,
  ): Drawn {
    const { canMail } = this.#options
    const text = String(draw({ root, staleMs, canMail }))
    const encoded = new Encoded(text, target.type, headersFor(page, target, staleMs))
    return { page, at, draw, encoded, isStale: staleMs !== null }
  }

  #put(key: string, entry: Entry): void {
    this.#drop(key)
    this.#entries.set(key, entry)
    this.#bytes += entry.drawn.encoded.size
    const { org_id: orgId } = entry.drawn.page
    const its = this.#ofOrg.get(orgId)
    if (its === undefined) this.#ofOrg.set(orgId, new Set([key]))
    else its.add(key)
    // Entries are put anew whenever they are drawn, so the first is the one that nobody has asked for the longest.
    for (const [oldest] of this.#entries) {
      if (this.#bytes <= MOST_BYTES || oldest === key) break
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.drawn.encoded.size
    const { org_id: orgId } = entry.drawn.page
    const its = this.#ofOrg.get(orgId)
    its?.delete(key)
    if (its?.size === 0) this.#ofOrg.delete(orgId)
  }
}

interface Request {
  readonly key: string
  readonly name: Name
  readonly root: string
  readonly target: Target
}

interface Found {
  readonly page: FoundPage | undefined
  readonly draw: Draw | undefined
}

function* readTarget({ name, target }: Request, baseUrl: string, now: number): DbWork<Found> {
  const page = yield* publishedPage(name)
  return { page, draw: page && (yield* target.read(page, baseUrl, now)) }
}

function headersFor(page: FoundPage, target: Target, staleMs: number | null): Record<string, string> {
  const caching = page.visibility === 'PASSWORD' ? PRIVATE_CACHING : PUBLIC_CACHING
  return {
    ...securityHeaders,
    'cache-control': staleMs === null ? caching : NO_CACHING,
    ...(parseSettings(page.settings).hideFromSearch && { 'x-robots-tag': 'noindex' }),
    ...(staleMs !== null && { age: `${Math.floor(staleMs / 1000)}` }),
    // What anybody may read, the scripts of any site may read too.
    ...(target.isOpen && page.visibility === 'PUBLIC' && { 'access-control-allow-origin': '*' }),
  }
}

/** What was promised, unless it does not come in time. */
function inTime<T>(promised: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The database took too long')), Math.max(0, ms))
    promised.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
