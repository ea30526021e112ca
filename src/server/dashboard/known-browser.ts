import type { FastifyRequest } from 'fastify'
import type { KnownBrowser } from '../../contract/app-operation.ts'
import { DAY_MS, SECOND_MS } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { newToken } from '../../lib/tokens.ts'
import { cookieAttributes, cookieName, isSecure, openCookie } from './cookie.ts'

/** A browser is known for this long after the last sign-in. */
const KNOWN_FOR_MS = 180 * DAY_MS
/** Users of one browser; a further one replaces the one who signed in least recently. */
const MAX_USERS = 5
const SEAL_CONTEXT = 'known browser'

const NAME = 'pharos-browser'

interface SealedEntry extends KnownBrowser {
  readonly until: number
}

/**
 * Users who have signed in with this browser, the latest first. The cookie signs nobody in. It keeps the browser of a user apart from
 * attackers: their attempts neither block nor delay its own.
 */
export function knownBrowsersOf(
  request: FastifyRequest,
  sealer: Sealer,
  baseUrl: string,
  now: number,
): readonly SealedEntry[] {
  const name = cookieName(NAME, isSecure(request, baseUrl))
  const entries = openCookie<SealedEntry[]>(request, name, sealer, SEAL_CONTEXT) ?? []
  return entries.filter(({ until }) => until > now)
}

/** The Set-Cookie header after a sign-in. The browser keeps its id, so that its failed attempts stay counted. */
export function knownBrowserCookie(
  request: FastifyRequest,
  sealer: Sealer,
  baseUrl: string,
  userId: string,
  now: number,
): string {
  const known = knownBrowsersOf(request, sealer, baseUrl, now)
  const id = known.find((entry) => entry.userId === userId)?.id ?? newToken().slice(0, 22)
  const others = known.filter((entry) => entry.userId !== userId)
  const entries: SealedEntry[] = [{ userId, id, until: now + KNOWN_FOR_MS }, ...others].slice(0, MAX_USERS)
  const secure = isSecure(request, baseUrl)
  return `${cookieName(NAME, secure)}=${sealer.seal(JSON.stringify(entries), SEAL_CONTEXT)}; ${cookieAttributes(KNOWN_FOR_MS / SECOND_MS, secure)}`
}
