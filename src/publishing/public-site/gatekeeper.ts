import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { verifyPassword } from '../../lib/passwords.ts'
import type { Sealer } from '../../lib/seal.ts'
import { Attempts, Turnstile } from './attempts.ts'
import type { StoredPage } from './queries/pages.ts'

const COOKIE_DAYS = 7

/** Guesses: of one address on one page, and of all addresses together on one page. */
const FROM_ADDRESS = { most: 10, windowMs: 10 * MINUTE_MS }
const ON_PAGE = { most: 300, windowMs: 10 * MINUTE_MS }
/** Checking a password takes tens of milliseconds and megabytes on purpose. */
const CHECKED_AT_ONCE = 2
const MAX_WAITING = 30
const BUSY_MS = 5 * SECOND_MS

export type Verdict =
  | { readonly kind: 'right'; readonly cookie: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'tooMany'; readonly waitMs: number }

/**
 * Lets visitors into pages with a password. Who knew it gets a cookie that is sealed with the installation's key; it
 * names the page and the password's hash without showing them, so it opens no other page and ends with the password.
 */
export class Gatekeeper {
  readonly #sealer: Sealer
  readonly #fromAddress = new Attempts(FROM_ADDRESS)
  readonly #onPage = new Attempts(ON_PAGE)
  readonly #checks = new Turnstile(CHECKED_AT_ONCE, MAX_WAITING)

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** Whether these cookies open the page. */
  admits(page: StoredPage, cookies: string | undefined, now: number): boolean {
    if (page.visibility === 'PUBLIC') return true
    const sealed = cookieIn(cookies, cookieName(page))
    if (sealed === undefined) return false
    try {
      return Number(this.#sealer.open(sealed, contextOf(page))) > now
    } catch {
      // What does not open is none of ours, or was for another password.
      return false
    }
  }

  /** Checks a password; `root` and `isSecure` say where the cookie will be good. */
  async judge(page: StoredPage, password: string, from: Visitor, now: number): Promise<Verdict> {
    const hash = page.password_hash
    if (hash === null) return { kind: 'wrong' }
    const subject = `${page.id} ${from.address}`
    const waitMs = this.#fromAddress.count(subject, now) || this.#onPage.count(page.id, now)
    if (waitMs > 0) return { kind: 'tooMany', waitMs }
    const isRight = await this.#checks.pass(() => verifyPassword(password, hash))
    if (isRight === undefined) return { kind: 'tooMany', waitMs: BUSY_MS }
    if (!isRight) return { kind: 'wrong' }
    // People behind one address who know the password do not use up each other's guesses.
    this.#fromAddress.forgive(subject)
    this.#onPage.forgive(page.id)
    return { kind: 'right', cookie: this.#cookieFor(page, from, now) }
  }

  #cookieFor(page: StoredPage, { root, isSecure }: Visitor, now: number): string {
    const sealed = this.#sealer.seal(`${now + COOKIE_DAYS * DAY_MS}`, contextOf(page))
    const lifeSeconds = (COOKIE_DAYS * DAY_MS) / SECOND_MS
    const parts = [`${cookieName(page)}=${sealed}`, `Path=${root || '/'}`, `Max-Age=${lifeSeconds}`, 'HttpOnly']
    return [...parts, 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ')
  }
}

export interface Visitor {
  readonly address: string
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
