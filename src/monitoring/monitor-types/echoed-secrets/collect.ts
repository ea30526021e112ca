import type { DialogueStep } from '../../../contract/check-options.ts'
import type { ProbeTarget } from '../../../contract/probe.ts'
import { harmlessHeaders } from '../../../lib/harmless-headers.ts'
import { hostHeadersIn } from '../../../lib/host.ts'
import { userInfoOf } from '../../../lib/mask.ts'

/** What probes of different types send. */
export type SentSettings = Partial<ProbeTarget> & {
  readonly requestHeaders?: Readonly<Record<string, string>> | null
  readonly requestBody?: string | null
}

/** Values and words of headers, bodies and dialogues that are not secret in any of them. */
const commonWords = new Set([
  ...['bearer', 'basic', 'digest', 'token', 'apikey', 'negotiate'],
  ...['http', 'https', 'http/1.1', 'localhost', '127.0.0.1', 'close', 'keep-alive', 'upgrade', 'websocket'],
  ...['true', 'false', 'null', 'none', 'json', 'xmlhttprequest', 'no-cache', 'cors', 'post', 'host:', 'ping'],
])

/** The secrets of a monitor that its probe may send, and their parts. Those that matter most come first. */
export function* secretsOf(target: SentSettings): Generator<string> {
  yield* loginsOf(target)
  const isKnown = knownNames(target)
  for (const text of sentTexts(target)) if (!isKnown(text) && !commonWords.has(text.toLowerCase())) yield text
}

function* loginsOf({ url, request = {} }: SentSettings): Generator<string> {
  const { auth, proxyUrl, clientCertificate } = request
  if (auth?.type === 'BEARER') yield auth.token
  else if (auth?.type === 'OAUTH2_CLIENT_CREDENTIALS') yield* login(auth.clientId, auth.clientSecret)
  else if (auth !== undefined) yield* login(auth.username, auth.password)
  yield* userInformation(url)
  yield* userInformation(proxyUrl)
  for (const line of clientCertificate?.key.split(/\s+/) ?? []) if (/^[A-Za-z0-9+/=]{16,}$/.test(line)) yield line
}

function* login(username: string, password: string): Generator<string> {
  yield password
  yield Buffer.from(`${username}:${password}`).toString('base64')
}

/** The user name too: the user information of an address is secret as a whole. */
export function* userInformation(address: string | null | undefined): Generator<string> {
  const userInfo = userInfoOf(address ?? '')
  if (userInfo === undefined) return
  yield userInfo
  const { username, password } = URL.parse(address ?? '') ?? { username: '', password: '' }
  yield* [username, password]
  const [user, secret] = [decoded(username), decoded(password)]
  yield* login(user, secret)
  yield user
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Names of the target, which errors of ours have. An Origin header may be one, and a Host header is one. */
function knownNames({ url, host, request, requestHeaders }: SentSettings): (text: string) => boolean {
  const { hostname, host: authority, origin } = URL.parse(url ?? '') ?? {}
  const names = [hostname, authority, origin, host, request?.serverName, ...hostHeadersIn(requestHeaders)]
  return (text) => names.includes(text)
}

function* sentTexts({ requestHeaders, requestBody, dialogue }: SentSettings): Generator<string> {
  const headers = Object.entries(requestHeaders ?? {}).filter(([name]) => !harmlessHeaders.has(name.toLowerCase()))
  const values = headers.map(([, value]) => value.trim())
  yield* values
  if (typeof requestBody === 'string') yield requestBody.trim()
  for (const value of values) yield* headerParts(value)
  if (typeof requestBody === 'string') yield* bodyParts(requestBody)
  for (const step of dialogue?.steps ?? []) yield* wordsOf(step)
}

/** `Bearer token`, `session=token; theme=dark`, `Basic dXNlcjpwYXNzd29yZA==`. */
function* headerParts(value: string): Generator<string> {
  for (const part of value.split(/[\s;,]+/)) {
    yield part
    const equals = part.indexOf('=')
    if (equals >= 0) yield part.slice(equals + 1).replaceAll(/^["']|["']$/g, '')
  }
  const [, encoded] = /^basic\s+([\w+/=-]+)$/i.exec(value) ?? []
  if (encoded === undefined) return
  const pair = Buffer.from(encoded, 'base64').toString()
  yield pair.slice(pair.indexOf(':') + 1)
}

/** The texts in JSON, a form or XML, without their names. */
function* bodyParts(body: string): Generator<string> {
  const json = tryParse(body)
  if (json !== undefined) yield* textsIn(json)
  else if (/^[^\s=&<>]+=/.test(body)) yield* new URLSearchParams(body.trim()).values()
  else
    for (const [, text, attribute] of body.matchAll(/>([^<>]+)|="([^"<>]*)"/g)) yield (text ?? attribute ?? '').trim()
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Without recursion: a body may be nested deeply. */
function* textsIn(json: unknown): Generator<string> {
  const rest = [json]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value === 'string') yield value
    else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) rest.push(member)
  }
}

/** Words of what a step sends; of bytes, one character each. */
function wordsOf({ send, sendHex }: DialogueStep): readonly string[] {
  const text = sendHex === undefined ? (send ?? '') : Buffer.from(sendHex, 'hex').toString('latin1')
  return text.split(/[^\x21-\x7e\x80-\uffff]+/)
}
