import type { FastifyRequest } from 'fastify'
import { SESSION_LIFETIME_MS } from '../../accounts/sessions/queries.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { parseStored } from '../../lib/json.ts'
import type { Sealer } from '../../lib/seal.ts'

const SESSION = 'pharos'

/**
 * Browsers accept a `__Host-` cookie only over https and only from this host, so neither a sibling domain nor plain http can
 * set it. `__Secure-` permits a path. The plain name is for http on localhost.
 */
export function cookieName(name: string, secure: boolean, prefix: '__Host-' | '__Secure-' = '__Host-'): string {
  return secure ? prefix + name : name
}

export function isSecure(request: FastifyRequest, baseUrl: string): boolean {
  return request.protocol === 'https' || baseUrl.startsWith('https:')
}

/** The value of a cookie; undefined if there is none, or several, because one of them may be forged. */
function onlyCookie(request: FastifyRequest, name: string): string | undefined {
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  return found.length === 1 ? found[0]?.slice(name.length + 1) || undefined : undefined
}

/** The content of a sealed cookie; undefined if it is forged, or sealed with a key that is not configured any more. */
export function openCookie<T>(request: FastifyRequest, name: string, sealer: Sealer, context: string): T | undefined {
  const sealed = onlyCookie(request, name)
  if (sealed === undefined) return undefined
  try {
    return parseStored(sealer.open(sealed, context)) as T
  } catch {
    return undefined
  }
}

export function sessionToken(request: FastifyRequest, baseUrl: string): string | undefined {
  return onlyCookie(request, cookieName(SESSION, isSecure(request, baseUrl)))
}

/** The Set-Cookie header for a token; null deletes the cookie. */
export function sessionCookie(token: string | null, secure: boolean): string {
  const maxAgeSeconds = token === null ? 0 : SESSION_LIFETIME_MS / SECOND_MS
  return `${cookieName(SESSION, secure)}=${token ?? ''}; ${cookieAttributes(maxAgeSeconds, secure)}`
}

/** For a cookie that scripts cannot read, of this host only. */
export function cookieAttributes(maxAgeSeconds: number, secure: boolean, path = '/'): string {
  const parts = [`Path=${path}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax']
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ')
}
