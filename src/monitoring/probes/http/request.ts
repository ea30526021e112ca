import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { ProbeTarget } from '../../../contract/probe.ts'

export interface HttpRequest {
  readonly url: URL
  readonly method: string
  /** The monitor's own headers. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Bytes, not text: Node would write the headers in UTF-8 along with a text. */
  readonly body: Buffer | null
}

const USER_AGENT = 'Pharos/1 (uptime check)'

// Decided by us: they frame the message, and a wrong one would make the target read it differently than we sent it.
const FRAMING = new Set(['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'te', 'trailer'])
const ABOUT_THE_BODY = new Set(['content-type', 'content-encoding', 'content-language', 'content-location'])
// `host` as well: a name chosen for one server would send the next one looking for a site that it does not have.
const FOR_ONE_ORIGIN = new Set(['authorization', 'cookie', 'proxy-authorization', 'host'])
const BODILESS = new Set(['GET', 'HEAD', 'DELETE'])
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The monitor's request, or the sentence that says why it cannot be sent. */
export function firstRequest(target: ProbeTarget): HttpRequest | string {
  const url = URL.parse(target.url ?? '')
  if (url === null) return 'The address of the monitor is not a valid URL'
  if (!isHttp(url)) return `An address that begins with ${url.protocol} cannot be checked over HTTP`
  const headers = target.requestHeaders === null ? [] : Object.entries(target.requestHeaders)
  const fault = headerFault(headers)
  const body = target.requestBody === null ? null : Buffer.from(target.requestBody)
  return fault ?? { url, method: target.method, headers, body }
}

function headerFault(headers: HttpRequest['headers']): string | null {
  for (const [name, value] of headers) {
    try {
      validateHeaderName(name)
    } catch {
      return `The request header name ${JSON.stringify(name.slice(0, 100))} is not valid`
    }
    try {
      validateHeaderValue(name, value)
    } catch {
      return `The value of the request header ${name.slice(0, 100)} contains characters that cannot be sent`
    }
  }
  return null
}

/** The header lines as node:http takes them without copying: name, value, name, value. */
export function headerFields({ url, method, headers, body }: HttpRequest): string[] {
  const lines: string[] = []
  const given = new Set<string>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (FRAMING.has(key)) continue
    given.add(key)
    lines.push(name, value)
  }
  if (!given.has('host')) lines.unshift('Host', url.host)
  if (!given.has('user-agent')) lines.push('User-Agent', USER_AGENT)
  if (!given.has('accept')) lines.push('Accept', '*/*')
  if (url.username !== '' && !given.has('authorization')) lines.push('Authorization', basicCredentials(url))
  if (body !== null || !BODILESS.has(method)) lines.push('Content-Length', String(body?.length ?? 0))
  lines.push('Connection', given.has('upgrade') ? 'Upgrade' : 'close')
  return lines
}

function basicCredentials({ username, password }: URL): string {
  const text = `${decodePercent(username)}:${decodePercent(password)}`
  return `Basic ${Buffer.from(text).toString('base64')}`
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The request that a redirect leads to, null when the answer is no redirect, or what is wrong with it. */
export function redirectedRequest(request: HttpRequest, status: number, location: string | undefined) {
  if (location === undefined || !REDIRECTS.has(status)) return null
  // Header bytes arrive as Latin-1; what is not ASCII in an address is UTF-8 in practice.
  const url = URL.parse(Buffer.from(location, 'latin1').toString('utf8'), request.url)
  if (url === null) return 'The answer redirects to an address that is not a valid URL'
  if (!isHttp(url)) return `The answer redirects to an address that begins with ${url.protocol}`
  // As browsers do: 303 asks for a visit at another page, and POST becomes GET on the two old codes.
  const becomesGet = status === 303 ? request.method !== 'HEAD' : status <= 302 && request.method === 'POST'
  const dropped = new Set<string>()
  if (becomesGet) for (const name of ABOUT_THE_BODY) dropped.add(name)
  if (url.origin !== request.url.origin) for (const name of FOR_ONE_ORIGIN) dropped.add(name)
  const next: HttpRequest = {
    url,
    method: becomesGet ? 'GET' : request.method,
    headers: request.headers.filter(([name]) => !dropped.has(name.toLowerCase())),
    body: becomesGet ? null : request.body,
  }
  return next
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}
