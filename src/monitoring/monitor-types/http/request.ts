import { randomBytes } from 'node:crypto'
import type { RequestOptions } from '../../../contract/check-options.ts'
import type { ProbeTarget } from '../../../contract/probe.ts'
import { harmlessHeaders } from '../../../lib/harmless-headers.ts'
import { http } from '../../../lib/http.ts'
import { truncate } from '../../../lib/text.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'

export interface HttpTarget extends ProbeTarget {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly expectedStatus: readonly number[]
  readonly requestHeaders: Readonly<Record<string, string>> | null
  readonly requestBody: string | null
  readonly followRedirects: boolean
  readonly verifySsl: boolean
}

type Header = readonly [name: string, value: string]

export interface HttpRequest {
  readonly url: URL
  readonly method: string
  /** The monitor's own headers. */
  readonly headers: readonly Header[]
  /** As bytes, so that the headers before it can be written in Latin-1. */
  readonly body: Buffer | null
  /** A redirect led to another origin, where some of the monitor's headers or its credentials were not sent. */
  readonly isStripped?: boolean
  /** How the monitor wants it sent. */
  readonly options?: RequestOptions
  /** Asks for an upgrade to WebSocket. */
  readonly webSocketKey?: string
}

const USER_AGENT = 'Pharos/1 (uptime check)'

// Set by us: they frame the message, and a wrong value would make the target read it differently from how it was sent.
const FRAMING = new Set(['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'te', 'trailer'])
const BODY_HEADERS = new Set(['content-type', 'content-encoding', 'content-language', 'content-location'])
const BODILESS = new Set(['GET', 'HEAD', 'DELETE'])
const MAX_SHOWN_ORIGIN = 100
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The monitor's request, or why it cannot be sent. */
export function firstRequest(target: HttpTarget): HttpRequest | Reason {
  const url = URL.parse(target.url ?? '')
  if (url === null) return reason('no_url')
  if (!isHttp(url)) return reason('url_protocol', { protocol: url.protocol })
  const headers = target.requestHeaders === null ? [] : Object.entries(target.requestHeaders)
  const problem = headerProblem(headers)
  const body = target.requestBody === null ? null : Buffer.from(target.requestBody)
  if (problem !== null || target.request === undefined) return problem ?? { url, method: target.method, headers, body }
  const { request: options } = target
  if (options.protocol !== 'WEBSOCKET') return { url, method: target.method, headers, body, options }
  return { url, method: 'GET', headers, body: null, options, webSocketKey: randomBytes(16).toString('base64') }
}

function headerProblem(headers: HttpRequest['headers']): Reason | null {
  for (const [name, value] of headers) {
    try {
      http.validateHeaderName(name)
    } catch {
      return reason('header_name', { name: JSON.stringify(name.slice(0, 100)) })
    }
    try {
      http.validateHeaderValue(name, value)
    } catch {
      return reason('header_value', { name: name.slice(0, 100) })
    }
  }
  return null
}

/** The monitor's headers and ours, in the order in which they are sent. */
export function headerFields({ url, method, headers, body, webSocketKey }: HttpRequest): readonly Header[] {
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
  if (webSocketKey !== undefined) fields.push(...upgradeFields(webSocketKey))
  if (url.username !== '' && !given.has('authorization')) {
    const credentials = basicCredentials(decodePercent(url.username), decodePercent(url.password))
    fields.push(['Authorization', credentials])
  }
  if (body !== null || !BODILESS.has(method)) fields.push(['Content-Length', String(body?.length ?? 0)])
  fields.push(['Connection', given.has('upgrade') || webSocketKey ? 'Upgrade' : 'close'])
  return fields
}

function upgradeFields(webSocketKey: string): readonly Header[] {
  return [
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Key', webSocketKey],
  ]
}

export function basicCredentials(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The request that a redirect points to, null when the response is no redirect, or what is wrong. */
export function redirectedRequest(
  request: HttpRequest,
  status: number,
  location: string | undefined,
): HttpRequest | Reason | null {
  if (location === undefined || !REDIRECTS.has(status)) return null
  // Headers are decoded as Latin-1, but non-ASCII characters of a Location are UTF-8 in practice.
  const url = URL.parse(Buffer.from(location, 'latin1').toString('utf8'), request.url)
  if (url === null) return reason('redirect_invalid')
  if (!isHttp(url)) return reason('redirect_protocol', { protocol: url.protocol })
  // As browsers do: 303 turns every method but HEAD into GET, 301 and 302 turn POST into GET.
  const becomesGet = status === 303 ? request.method !== 'HEAD' : status <= 302 && request.method === 'POST'
  const next = {
    ...request,
    url,
    method: becomesGet ? 'GET' : request.method,
    headers: becomesGet ? request.headers.filter(([name]) => !BODY_HEADERS.has(name.toLowerCase())) : request.headers,
    body: becomesGet ? null : request.body,
  }
  return url.origin === request.url.origin ? next : strippedRequest(next, request.url)
}

/**
 * The request for another origin: without its body, credentials and all headers that may be secret. They stay away when
 * a later redirect leads back. A POST, PUT or PATCH with a body is not sent at all: without it, it would be another check.
 */
function strippedRequest(request: HttpRequest, from: URL): HttpRequest | Reason {
  const { url, method, headers, body, isStripped = false, options, webSocketKey } = request
  if (body !== null && !BODILESS.has(method)) {
    const origin = truncate(url.origin, MAX_SHOWN_ORIGIN)
    return reason('redirect_body', { origin })
  }
  const kept = headers.filter(([name]) => isHarmless(name.toLowerCase()))
  const target = new URL(url)
  target.username = ''
  target.password = ''
  const { auth, clientCertificate, serverName: _ofFirstHost, ...keptOptions } = options ?? {}
  const hasCredentials = from.username !== '' || auth !== undefined || clientCertificate !== undefined
  const isChanged = hasCredentials || kept.length < headers.length || body !== null
  return {
    url: target,
    method,
    headers: kept,
    body: null,
    isStripped: isStripped || isChanged,
    ...(options && { options: keptOptions }),
    ...(webSocketKey && { webSocketKey }),
  }
}

function isHarmless(name: string): boolean {
  return harmlessHeaders.has(name) && !BODY_HEADERS.has(name)
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}
