import type { FastifyRequest } from 'fastify'
import { SESSION_LIFETIME_MS } from '../../accounts/sessions/queries.ts'
import { SECOND_MS } from '../../lib/clock.ts'

/**
 * Browsers accept a `__Host-` cookie only over https and only from this host, so neither a sibling domain nor plain http can
 * set it. The plain name is for http on localhost.
 */
const SECURE_NAME = '__Host-pharos'
const PLAIN_NAME = 'pharos'

export function isSecure(request: FastifyRequest, baseUrl: string): boolean {
  return request.protocol === 'https' || baseUrl.startsWith('https:')
}

/** The value of a cookie; undefined if there is none, or several, because one of them may be forged. */
export function onlyCookie(request: FastifyRequest, name: string): string | undefined {
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  return found.length === 1 ? found[0]?.slice(name.length + 1) || undefined : undefined
}

export function sessionToken(request: FastifyRequest, baseUrl: string): string | undefined {
  return onlyCookie(request, isSecure(request, baseUrl) ? SECURE_NAME : PLAIN_NAME)
}

/** The Set-Cookie header for a token; null deletes the cookie. */
export function sessionCookie(token: string | null, secure: boolean): string {
  const maxAgeSeconds = token === null ? 0 : SESSION_LIFETIME_MS / SECOND_MS
  return `${secure ? SECURE_NAME : PLAIN_NAME}=${token ?? ''}; ${cookieAttributes(maxAgeSeconds, secure)}`
}

/** For a cookie that scripts cannot read, of this host only. */
export function cookieAttributes(maxAgeSeconds: number, secure: boolean, path = '/'): string {
  const parts = [`Path=${path}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax']
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ')
}
