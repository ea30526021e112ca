import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { QueueFull } from '../../lib/fair-queue.ts'
import { FixedWindowLimiter } from '../../lib/fixed-window-limiter.ts'
import { verifyPassword } from '../../lib/passwords.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { StoredPage } from './queries/pages.ts'

const COOKIE_DAYS = 7

/** Password attempts per client address and page, and per page. */
const MAX_PER_ADDRESS = 10
const MAX_PER_PAGE = 300
const WINDOW_MS = 10 * MINUTE_MS
const MAX_SUBJECTS = 10_000
/** If too many passwords are waiting to be verified. */
const BUSY_WAIT_MS = 5 * SECOND_MS

export type Verdict =
  | { readonly kind: 'right'; readonly cookie: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'tooMany'; readonly waitMs: number }

/**
 * Guards pages with a password. The right password earns a cookie with an expiry time, sealed with the installation's key.
 * Page id and password hash are part of the sealed context, so the cookie works for no other page and is invalid after the
 * password was changed.
 */
export class Gatekeeper {
  readonly #sealer: Sealer
  readonly #perAddress = new FixedWindowLimiter(WINDOW_MS, MAX_SUBJECTS)
  readonly #perPage = new FixedWindowLimiter(WINDOW_MS, MAX_SUBJECTS)

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** Whether the page is public or the cookies contain a valid one for it. */
  admits(page: StoredPage, cookies: string | undefined, now: number): boolean {
    if (page.visibility === 'PUBLIC') return true
    const sealed = cookieIn(cookies, cookieName(page))
    if (sealed === undefined) return false
    try {
      return Number(this.#sealer.open(sealed, contextOf(page))) > now
    } catch {
      // A forged cookie, or one for a previous password.
      return false
    }
  }

  /** Checks a password. */
  async judge(page: StoredPage, password: string, visitor: Visitor, now: number): Promise<Verdict> {
    const hash = page.password_hash
    if (hash === null) return { kind: 'wrong' }
    const subject = `${page.id} ${visitor.address}`
    const waitMs =
      this.#perAddress.count(subject, MAX_PER_ADDRESS, now) || this.#perPage.count(page.id, MAX_PER_PAGE, now)
    if (waitMs > 0) return { kind: 'tooMany', waitMs }
    const isRight = await verifyOrOverloaded(password, hash, visitor.address)
    if (isRight === false) return { kind: 'wrong' }
    // Correct attempts do not count, so visitors behind one address do not lock each other out; nor do unverified ones.
    this.#perAddress.forgive(subject)
    this.#perPage.forgive(page.id)
    if (isRight === 'overloaded') return { kind: 'tooMany', waitMs: BUSY_WAIT_MS }
    return { kind: 'right', cookie: this.#cookieFor(page, visitor, now) }
  }

  #cookieFor(page: StoredPage, { root, isSecure }: Visitor, now: number): string {
    const sealed = this.#sealer.seal(`${now + COOKIE_DAYS * DAY_MS}`, contextOf(page))
    const lifeSeconds = (COOKIE_DAYS * DAY_MS) / SECOND_MS
    const parts = [`${cookieName(page)}=${sealed}`, `Path=${root || '/'}`, `Max-Age=${lifeSeconds}`, 'HttpOnly']
    return [...parts, 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ')
  }
}

async function verifyOrOverloaded(password: string, hash: string, address: string): Promise<boolean | 'overloaded'> {
  try {
    return await verifyPassword(password, hash, { lane: 'visitor', key: address })
  } catch (error) {
    if (error instanceof QueueFull) return 'overloaded'
    throw error
  }
}

export interface Visitor {
  /** IP address. */
  readonly address: string
  /** The path of the cookie. */
  readonly root: string
  readonly isSecure: boolean
}

function cookieName({ id }: StoredPage): string {
  return `pharos_${id}`
}

function contextOf({ id, password_hash: hash }: StoredPage): string {
  return `status page cookie\n${id}\n${hash}`
}

function cookieIn(cookies: string | undefined, name: string): string | undefined {
  for (const cookie of cookies?.split(';') ?? []) {
    const [key = '', ...value] = cookie.split('=')
    if (key.trim() === name) return value.join('=').trim()
  }
  return undefined
}
