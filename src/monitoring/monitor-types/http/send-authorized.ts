import { randomBytes } from 'node:crypto'
import type { Auth } from '../../../contract/check-options.ts'
import type { Attempt, Failure } from '../attempt.ts'
import type { NetworkTools } from '../definition.ts'
import { type HttpConnection, openConnection } from './connection.ts'
import { answerDigest, type DigestCredentials } from './digest.ts'
import { obtainToken } from './oauth-token.ts'
import { basicCredentials, type HttpRequest } from './request.ts'
import { type HttpResponse, sendRequest } from './response.ts'

/** The caller disposes of the connection. */
export interface Sent {
  readonly connection: HttpConnection
  readonly response: HttpResponse
}

/** Sends a request on a connection of its own and waits for the head of the response. */
export async function sendOnce(
  request: HttpRequest,
  verify: boolean,
  tools: NetworkTools,
  attempt: Attempt,
): Promise<Sent> {
  const connection = await openConnection(request.url, verify, tools, attempt, request.options)
  try {
    attempt.stage = 'response'
    return { connection, response: await sendRequest(request, connection, attempt.signal) }
  } catch (error) {
    connection[Symbol.dispose]()
    throw error
  }
}

/** The same with the credentials of the monitor. A 401 is answered once: with a digest, or with a new token. */
export async function sendAuthorized(
  request: HttpRequest,
  auth: Auth,
  verify: boolean,
  tools: NetworkTools,
  attempt: Attempt,
): Promise<Sent | Failure> {
  const first = await authorizationOf(request, auth, tools, attempt)
  if (typeof first === 'object') return first
  const sent = await sendOnce(withAuthorization(request, first), verify, tools, attempt)
  if (sent.response.status !== 401) return sent
  let second: string | undefined | Failure
  if (auth.type === 'DIGEST') second = digestOf(request, auth, sent.response, attempt)
  if (auth.type === 'OAUTH2_CLIENT_CREDENTIALS') second = await authorizationOf(request, auth, tools, attempt, first)
  if (second === undefined) return sent
  sent.connection[Symbol.dispose]()
  return typeof second === 'object' ? second : sendOnce(withAuthorization(request, second), verify, tools, attempt)
}

/** The Authorization header; undefined if the server must ask for it first. */
export async function authorizationOf(
  { options }: HttpRequest,
  auth: Auth,
  tools: NetworkTools,
  attempt: Attempt,
  refused?: string,
): Promise<string | undefined | Failure> {
  if (auth.type === 'BEARER') return `Bearer ${auth.token}`
  if (auth.type !== 'OAUTH2_CLIENT_CREDENTIALS') {
    return auth.type === 'BASIC' ? basicCredentials(auth.username, auth.password) : undefined
  }
  const token = await obtainToken(auth, options ?? {}, tools, attempt, refused?.slice('Bearer '.length))
  return typeof token === 'object' ? token : `Bearer ${token}`
}

function digestOf(
  { url, method }: HttpRequest,
  credentials: DigestCredentials,
  { headers }: HttpResponse,
  { secrets }: Attempt,
): string | undefined {
  const cnonce = randomBytes(16).toString('hex')
  const uri = url.pathname + url.search
  const answer = answerDigest(credentials, method, uri, headers['www-authenticate'] ?? '', cnonce)
  // Passwords can be guessed with it.
  const [, digest] = /\bresponse="(\w+)"/.exec(answer ?? '') ?? []
  if (digest !== undefined) secrets.add(digest)
  return answer
}

/** Replaces a header of the monitor's own. */
function withAuthorization(request: HttpRequest, authorization: string | undefined): HttpRequest {
  if (authorization === undefined) return request
  const others = request.headers.filter(([name]) => name.toLowerCase() !== 'authorization')
  return { ...request, headers: [...others, ['Authorization', authorization]] }
}
