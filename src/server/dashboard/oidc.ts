import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { signInWithOidc, type OidcRefusal } from '../../accounts/sign-in/with-oidc.ts'
import type { AccountSettings } from '../../contract/app-operation.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type Claims, type Errand, ProviderAway } from '../../outbound/oidc.ts'
import { clientOf, type Door } from './session.ts'
import { isSecure, sessionCookie } from './cookie.ts'

/** How long somebody may take at the provider. */
const PATIENCE_MS = 10 * MINUTE_MS
const PLACE = 'oidc errand'
const LONGEST_NEXT = 500

/** What is told to the page before the door; its words are in docs/accounts.md. */
type Problem = OidcRefusal | 'oidc_off' | 'oidc_away' | 'oidc_over' | 'oidc_denied' | 'oidc_invalid'

interface Kept extends Errand {
  readonly next: string
  readonly until: number
}

interface Parts extends Door {
  readonly accounts: AccountSettings
  readonly sealer: Sealer
}

/**
 * GET /app/api/oidc/start and /callback, which browsers walk through. What has to come back stays with the browser, sealed, in a
 * cookie: an answer that another browser was made to bring opens nothing.
 */
export function oidcRoutes(app: FastifyInstance, parts: Parts): void {
  const { accounts, sealer, database, clock, log } = parts
  const { oidc } = accounts
  const pathTo = (path: string): string => `${new URL(parts.baseUrl()).pathname.replace(/\/$/, '')}${path}`
  const callback = (): string => `${parts.baseUrl()}/app/api/oidc/callback`

  const go = (reply: FastifyReply, to: string, cookies: readonly string[]): FastifyReply =>
    reply
      .code(302)
      .headers({
        location: to,
        'x-request-id': reply.request.id,
        'cache-control': 'no-store',
        'set-cookie': [...cookies],
      })
      .send()

  const refuse = (request: FastifyRequest, reply: FastifyReply, problem: Problem, error?: unknown): FastifyReply => {
    const reason = error instanceof Error ? `: ${error.message}` : ''
    log[error === undefined ? 'info' : 'warn'](`a sign-in with the provider came to nothing (${problem})${reason}`)
    return go(reply, pathTo(`/sign-in?problem=${problem}`), [keeping(request, null)])
  }

  const keeping = (request: FastifyRequest, value: string | null): string => {
    const secure = isSecure(request, parts.baseUrl())
    const life = `Max-Age=${value === null ? 0 : PATIENCE_MS / SECOND_MS}`
    const fixed = [`Path=${pathTo('/app/api/oidc')}`, life, 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])]
    return [`${cookieName(secure)}=${value ?? ''}`, ...fixed].join('; ')
  }

  app.get('/oidc/start', async (request, reply) => {
    if (oidc === undefined) return refuse(request, reply, 'oidc_off')
    const { next } = request.query as { next?: unknown }
    try {
      const { url, errand } = await oidc.begin(callback())
      const kept: Kept = { ...errand, next: ownPath(next), until: clock.now() + PATIENCE_MS }
      return go(reply, url, [keeping(request, sealer.seal(JSON.stringify(kept), PLACE))])
    } catch (error) {
      return refuse(request, reply, 'oidc_away', error)
    }
  })

  app.get('/oidc/callback', async (request, reply) => {
    if (oidc === undefined) return refuse(request, reply, 'oidc_off')
    const kept = keptBy(request, cookieName(isSecure(request, parts.baseUrl())), sealer)
    if (kept === undefined || kept.until <= clock.now()) return refuse(request, reply, 'oidc_over')
    const query = new URL(request.url, parts.baseUrl()).search
    let claims: Claims
    try {
      claims = await oidc.finish(new URL(callback() + query), kept)
    } catch (error) {
      return refuse(request, reply, problemOf(error), error)
    }
    const visit = { signedIn: request.signedIn, client: clientOf(request), requestId: request.id, now: clock.now() }
    const come = await database.write(() => signInWithOidc(claims, oidc.signupRole, visit))
    if (typeof come === 'string') return refuse(request, reply, come)
    const session = sessionCookie(come.token, isSecure(request, parts.baseUrl()))
    return go(reply, kept.next, [session, keeping(request, null)])
  })
}

function problemOf(error: unknown): Problem {
  if (error instanceof ProviderAway) return 'oidc_away'
  return (error as { error?: unknown }).error === 'access_denied' ? 'oidc_denied' : 'oidc_invalid'
}

function cookieName(secure: boolean): string {
  return secure ? '__Secure-pharos-oidc' : 'pharos-oidc'
}

function keptBy(request: FastifyRequest, name: string, sealer: Sealer): Kept | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  if (!value) return undefined
  try {
    return JSON.parse(sealer.open(value, PLACE)) as Kept
  } catch {
    return undefined
  }
}

/** A path of this server; whatever a browser could take for another one is none. */
export function ownPath(next: unknown): string {
  return typeof next === 'string' && next.length <= LONGEST_NEXT && /^\/(?!\/)[!-[\]-~]*$/.test(next) ? next : '/'
}
