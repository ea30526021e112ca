import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { ProbeTarget } from '../../../contract/probe.ts'

type Header = readonly [name: string, value: string]

export interface HttpRequest {
  readonly url: URL
  readonly method: string
  /** The monitor's own headers. */
  readonly headers: readonly Header[]
  /** As bytes, so that the headers before it can be written in Latin-1. */
  readonly body: Buffer | null
}

const USER_AGENT = 'Pharos/1 (uptime check)'

// Set by us: they frame the message, and a wrong value would make the target read it differently from how it was sent.
const FRAMING = new Set(['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'te', 'trailer'])
const BODY_HEADERS = new Set(['content-type', 'content-encoding', 'content-language', 'content-location'])
// Not sent to another origin after a redirect. `host` too: the next server does not serve that name.
const ORIGIN_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization', 'host'])
const BODILESS = new Set(['GET', 'HEAD', 'DELETE'])
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The monitor's request, or a sentence that says why it cannot be sent. */
export function firstRequest(target: ProbeTarget): HttpRequest | string {
  const url = URL.parse(target.url ?? '')
  if (url === null) return 'The address of the monitor is not a valid URL'
  if (!isHttp(url)) return `An address that begins with ${url.protocol} cannot be checked over HTTP`
  const headers = target.requestHeaders === null ? [] : Object.entries(target.requestHeaders)
  const problem = headerProblem(headers)
  const body = target.requestBody === null ? null : Buffer.from(target.requestBody)
  return problem ?? { url, method: target.method, headers, body }
}

function headerProblem(headers: HttpRequest['headers']): string | null {
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

/** The monitor's headers and ours, in the order in which they are sent. */
export function headerFields({ url, method, headers, body }: HttpRequest): readonly Header[] {
  const fields: Header[] = []
  const given = new Set<string>()
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (FRAMING.has(key)) continue
    given.add(key)
    fields.push([name, value])
  }
  if (!given.has('host')) fields.unshift(['Host', url.host])
  if (!given.has('user-agent')) fields.push(['User-Agent', USER_AGENT])
  if (!given.has('accept')) fields.push(['Accept', '*/*'])
  if (url.username !== '' && !given.has('authorization')) fields.push(['Authorization', basicCredentials(url)])
  if (body !== null || !BODILESS.has(method)) fields.push(['Content-Length', String(body?.length ?? 0)])
  fields.push(['Connection', given.has('upgrade') ? 'Upgrade' : 'close'])
  return fields
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

/** The request that a redirect leads to, null when the response is no redirect, or a sentence that says what is wrong. */
export function redirectedRequest(
  request: HttpRequest,
  status: number,
  location: string | undefined,
): HttpRequest | string | null {
  if (location === undefined || !REDIRECTS.has(status)) return null
  // Headers are decoded as Latin-1, but non-ASCII characters of a Location are UTF-8 in practice.
  const url = URL.parse(Buffer.from(location, 'latin1').toString('utf8'), request.url)
  if (url === null) return 'The answer redirects to an address that is not a valid URL'
  if (!isHttp(url)) return `The answer redirects to an address that begins with ${url.protocol}`
  // As browsers do: 303 turns every method but HEAD into GET, 301 and 302 turn POST into GET.
  const becomesGet = status === 303 ? request.method !== 'HEAD' : status <= 302 && request.method === 'POST'
  const dropped = new Set<string>()
  if (becomesGet) for (const name of BODY_HEADERS) dropped.add(name)
  if (url.origin !== request.url.origin) for (const name of ORIGIN_HEADERS) dropped.add(name)
  return {
    url,
    method: becomesGet ? 'GET' : request.method,
    headers: request.headers.filter(([name]) => !dropped.has(name.toLowerCase())),
    body: becomesGet ? null : request.body,
  }
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}
