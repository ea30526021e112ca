import type { Auth, RequestOptions } from '../../../contract/check-options.ts'
import { untilAborted } from '../../../outbound/deadline.ts'
import { faultOf } from '../../../outbound/errors.ts'
import { httpAnswer } from '../../../outbound/http-answer.ts'
import { reason } from '../../../reasons/reason.ts'
import type { Attempt, Failure } from '../attempt.ts'
import type { NetworkTools } from '../definition.ts'
import { openConnection } from './connection.ts'
import { readAtMost } from './read-body.ts'
import { sendRequest } from './response.ts'

type OAuthClient = Extract<Auth, { type: 'OAUTH2_CLIENT_CREDENTIALS' }>

interface Token {
  readonly value: string
  readonly expiresAt: number
}

const MAX_TOKENS = 500
const MAX_TOKEN_CHARS = 16 * 1024
const MAX_RESPONSE_KIB = 64
/** A token that is about to expire would be refused on its way. */
const MARGIN_SECONDS = 30
const DEFAULT_LIFETIME_SECONDS = 300
const MAX_LIFETIME_SECONDS = 86_400

/** The tokens of this thread by client and secret, the one that was fetched first at the front. */
const tokens = new Map<string, Token>()
/** What is being fetched, by client and secret. Undefined if there was no answer. */
const fetching = new Map<string, Promise<Token | Failure | undefined>>()

/**
 * An access token from the cache or the token endpoint, or why there is none. A token that the target `refused` is not used again.
 * Throws an OutboundError or the signal's reason.
 */
export async function obtainToken(
  client: OAuthClient,
  options: RequestOptions,
  tools: NetworkTools,
  attempt: Attempt,
  refused?: string,
): Promise<string | Failure> {
  const key = JSON.stringify(client)
  const cached = tokens.get(key)
  if (cached !== undefined && cached.expiresAt > performance.now() && cached.value !== refused) {
    attempt.secrets.add(cached.value)
    return cached.value
  }
  tokens.delete(key)
  const startedAt = performance.now()
  const fetched = await fetchOnce(key, client, attempt, () => fetchToken(client, options, tools, attempt))
  // The response time is that of the target.
  attempt.startedAt += performance.now() - startedAt
  if ('code' in fetched) return fetched
  tokens.set(key, fetched)
  if (tokens.size > MAX_TOKENS) tokens.delete(tokens.keys().next().value as string)
  attempt.secrets.add(fetched.value)
  return fetched.value
}

/** One request at a time per client: the others wait for its answer. If there is none, the next one asks. */
async function fetchOnce(
  key: string,
  { tokenUrl }: OAuthClient,
  { signal }: Attempt,
  fetch: () => Promise<Token | Failure>,
): Promise<Token | Failure> {
  for (let other = fetching.get(key); other !== undefined; other = fetching.get(key)) {
    const answer = await untilAborted(other, signal).catch((error: unknown) => {
      throw faultOf('token_endpoint', new URL(tokenUrl).host, error)
    })
    if (answer !== undefined) return answer
  }
  const own = fetch()
  const shared = own.catch(() => undefined).finally(() => fetching.delete(key))
  fetching.set(key, shared)
  return own
}

/** The credentials go into a header, as every server must accept; a server that refuses that gets them in the body. */
async function fetchToken(
  client: OAuthClient,
  options: RequestOptions,
  tools: NetworkTools,
  attempt: Attempt,
): Promise<Token | Failure> {
  const answer = await post(client, 'header', options, tools, attempt)
  if (answer.error !== 'invalid_client' && answer.error !== 'invalid_request') return tokenOf(answer, client)
  return tokenOf(await post(client, 'body', options, tools, attempt), client)
}

interface Answer {
  readonly status: number
  readonly token: Token | undefined
  /** The code of RFC 6749, such as invalid_client. */
  readonly error: string | undefined
}

function tokenOf({ status, token, error }: Answer, { tokenUrl }: OAuthClient): Token | Failure {
  if (token !== undefined) return token
  const answer = httpAnswer(status)
  const refusal = error === undefined ? answer : reason('token_refused', { cause: answer, error })
  const cause = status === 200 ? reason('token_missing') : refusal
  const host = String(URL.parse(tokenUrl)?.host)
  return { code: 'STATUS', kind: 'content', error: reason('token_endpoint', { host, cause }) }
}

async function post(
  client: OAuthClient,
  credentialsIn: 'header' | 'body',
  { proxyUrl, ca }: RequestOptions,
  { guard }: NetworkTools,
  attempt: Attempt,
): Promise<Answer> {
  const url = new URL(client.tokenUrl)
  // An attempt of its own: what is observed here is not about the target.
  const own = { ...attempt, observed: {} }
  // The endpoint may be public or have a certificate of the same private authority as the target.
  const tlsContexts = ca === undefined ? guard.tlsContexts : guard.tlsContexts.with({ extraCa: ca })
  try {
    const tools = { guard: { ...guard, tlsContexts } }
    using connection = await openConnection(url, true, tools, own, proxyUrl === undefined ? undefined : { proxyUrl })
    const response = await sendRequest(tokenRequest(client, url, credentialsIn), connection, own.signal)
    const content = await readAtMost(MAX_RESPONSE_KIB, response, own.signal)
    return parseAnswer(response.status, content?.toString('utf8') ?? '')
  } catch (error) {
    throw faultOf('token_endpoint', url.host, error)
  }
}

function tokenRequest(client: OAuthClient, url: URL, credentialsIn: 'header' | 'body') {
  const { clientId, clientSecret, scope, audience } = client
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (scope !== undefined) form.set('scope', scope)
  if (audience !== undefined) form.set('audience', audience)
  const headers: [string, string][] = [
    ['Accept', 'application/json'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
  ]
  if (credentialsIn === 'header') {
    const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`
    headers.push(['Authorization', `Basic ${Buffer.from(pair).toString('base64')}`])
  } else {
    form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
  }
  return { url, method: 'POST', headers, body: Buffer.from(form.toString()) }
}

/** RFC 6749, section 2.3.1. */
function formEncoded(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2)
}

function parseAnswer(status: number, text: string): Answer {
  const body = (tryParse(text) ?? {}) as { access_token?: unknown; expires_in?: unknown; error?: unknown }
  const error = typeof body.error === 'string' && /^[a-z_]{1,40}$/.test(body.error) ? body.error : undefined
  const { access_token: value, expires_in: given } = body
  const isUsable = typeof value === 'string' && value.length <= MAX_TOKEN_CHARS && /^[\x21-\x7e]+$/.test(value)
  if (status !== 200 || !isUsable) return { status, token: undefined, error }
  const seconds = Number(given ?? DEFAULT_LIFETIME_SECONDS) || 0
  const lifetimeMs = (Math.min(seconds, MAX_LIFETIME_SECONDS) - MARGIN_SECONDS) * 1000
  return { status, token: { value, expiresAt: performance.now() + lifetimeMs }, error }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
