import type { FastifyRequest } from 'fastify'
import { SESSION_LIFETIME_MS } from '../../accounts/sessions/queries.ts'
import { SECOND_MS } from '../../lib/clock.ts'

/**
 * The session's cookie. Over https its name makes browsers refuse one that another host of the domain has set, or that came
 * over plain http; plain http is for localhost, where there is no name to protect.
 */
const SECURE_NAME = '__Host-pharos'
const PLAIN_NAME = 'pharos'

export function isSecure(request: FastifyRequest, baseUrl: string): boolean {
  return request.protocol === 'https' || baseUrl.startsWith('https:')
}

/** The token in a request; undefined where there is none, or several, of which one was planted. */
export function sessionToken(request: FastifyRequest, baseUrl: string): string | undefined {
  const name = isSecure(request, baseUrl) ? SECURE_NAME : PLAIN_NAME
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
  return found.length === 1 ? found[0]?.slice(name.length + 1) || undefined : undefined
}

/** The header that gives a browser its token, or with null takes it away. */
export function sessionCookie(token: string | null, secure: boolean): string {
  const lifeSeconds = token === null ? 0 : SESSION_LIFETIME_MS / SECOND_MS
  const parts = [`${secure ? SECURE_NAME : PLAIN_NAME}=${token ?? ''}`, 'Path=/', `Max-Age=${lifeSeconds}`, 'HttpOnly']
  return [...parts, 'SameSite=Lax', ...(secure ? ['Secure'] : [])].join('; ')
}
