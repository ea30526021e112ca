import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type OidcRefusal, signInWithOidc } from '../../accounts/sign-in/with-oidc.ts'
import type { AccountSettings } from '../../contract/app-operation.ts'
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type Claims, type OidcRequest, ProviderUnavailable } from '../../outbound/oidc.ts'
import { cookieAttributes, cookieName, isSecure, openCookie, sessionCookie } from './cookie.ts'
import { knownBrowserCookie } from './known-browser.ts'
import { clientOf, type SessionDependencies } from './session.ts'

/** Time to sign in at the provider. */
const TIMEOUT_MS = 10 * MINUTE_MS
const SEAL_CONTEXT = 'oidc sign-in'
const NAME = 'pharos-oidc'
const MAX_NEXT_LENGTH = 500

/** Shown by the sign-in page; explained in docs/accounts.md. */
type Problem = OidcRefusal | 'oidc_off' | 'oidc_away' | 'oidc_over' | 'oidc_denied' | 'oidc_invalid'

/** Kept in the browser's cookie until the provider redirects back. */
interface PendingSignIn extends OidcRequest {
  readonly next: string
  readonly until: number
}

interface Dependencies extends SessionDependencies {
  readonly accounts: AccountSettings
  readonly sealer: Sealer
}

/**
 * GET /app/api/oidc/start and /callback. The state of the sign-in is in an encrypted cookie, so a callback that another browser
 * was tricked into opening is rejected.
 */
export function oidcRoutes(app: FastifyInstance, dependencies: Dependencies): void {
  const { accounts, sealer, database, clock, log, baseUrl } = dependencies
  const { oidc } = accounts
  const pathTo = (path: string): string => `${new URL(baseUrl()).pathname.replace(/\/$/, '')}${path}`
  const callback = (): string => `${baseUrl()}/app/api/oidc/callback`

  const redirect = (reply: FastifyReply, location: string, cookies: string[]): FastifyReply =>
    reply
      .code(302)
      .headers({ location, 'x-request-id': reply.request.id, 'cache-control': 'no-store', 'set-cookie': cookies })
      .send()

  const refuse = (request: FastifyRequest, reply: FastifyReply, problem: Problem, error?: unknown): FastifyReply => {
    const reason = error instanceof Error ? `: ${error.message}` : ''
    log[error === undefined ? 'info' : 'warn'](`a sign-in with the provider failed (${problem})${reason}`)
    return redirect(reply, pathTo(`/sign-in?problem=${problem}`), [pendingCookie(request, null)])
  }

  const pendingCookie = (request: FastifyRequest, value: string | null): string => {
    const secure = isSecure(request, baseUrl())
    const maxAgeSeconds = value === null ? 0 : TIMEOUT_MS / SECOND_MS
    return `${cookieName(NAME, secure, '__Secure-')}=${value ?? ''}; ${cookieAttributes(maxAgeSeconds, secure, pathTo('/app/api/oidc'))}`
  }

  app.get('/oidc/start', async (request, reply) => {
    if (oidc === undefined) return refuse(request, reply, 'oidc_off')
    const { next } = request.query as { next?: unknown }
    try {
      const { url, request: oidcRequest } = await oidc.begin(callback())
      const pending: PendingSignIn = { ...oidcRequest, next: ownPath(next), until: clock.now() + TIMEOUT_MS }
      return redirect(reply, url, [pendingCookie(request, sealer.seal(JSON.stringify(pending), SEAL_CONTEXT))])
    } catch (error) {
      return refuse(request, reply, 'oidc_away', error)
    }
  })

  app.get('/oidc/callback', async (request, reply) => {
    if (oidc === undefined) return refuse(request, reply, 'oidc_off')
    const name = cookieName(NAME, isSecure(request, baseUrl()), '__Secure-')
    const pending = openCookie<PendingSignIn>(request, name, sealer, SEAL_CONTEXT)
    if (pending === undefined || pending.until <= clock.now()) return refuse(request, reply, 'oidc_over')
    const query = new URL(request.url, baseUrl()).search
    let claims: Claims
    try {
      claims = await oidc.finish(new URL(callback() + query), pending)
    } catch (error) {
      return refuse(request, reply, problemOf(error), error)
    }
    const now = clock.now()
    const client = clientOf(request, sealer, baseUrl(), now)
    const context = { signedIn: request.signedIn, client, requestId: request.id, now }
    const signedIn = await database.write(() => signInWithOidc(claims, oidc.signupRole, context))
    if (typeof signedIn === 'string') return refuse(request, reply, signedIn)
    const session = sessionCookie(signedIn.token, isSecure(request, baseUrl()))
    const known = knownBrowserCookie(request, sealer, baseUrl(), signedIn.answer.userId, now)
    return redirect(reply, pending.next, [session, known, pendingCookie(request, null)])
  })
}

function problemOf(error: unknown): Problem {
  if (error instanceof ProviderUnavailable) return 'oidc_away'
  return (error as { error?: unknown }).error === 'access_denied' ? 'oidc_denied' : 'oidc_invalid'
}

/** The path to open after signing in; `/` for anything that a browser could read as another site. */
function ownPath(next: unknown): string {
  return typeof next === 'string' && next.length <= MAX_NEXT_LENGTH && /^\/(?!\/)[!-[\]-~]*$/.test(next) ? next : '/'
}
