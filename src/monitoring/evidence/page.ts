import { crc32 } from 'node:zlib'
import { maskUrl } from '../../lib/mask.ts'
import { oneLine } from '../../lib/text.ts'
import type { Fingerprint } from './fields.ts'

/** What a response looks like apart from its body. URLs are without user information and query, which may be secret. */
export interface ResponseHeadFacts {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly finalUrl: string
  /** The statuses of the redirects that led here. */
  readonly redirects: readonly number[]
  /** All addresses of the name; undefined if no name was resolved. */
  readonly addresses: readonly string[] | undefined
}

const MAX_CHARS = 200

function short(text: string): string {
  return oneLine(text.slice(0, MAX_CHARS * 2))
    .slice(0, MAX_CHARS)
    .toWellFormed()
}

/** Headers that name a product or its version. */
const SERVER_HEADERS = ['server', 'x-powered-by', 'via', 'x-generator', 'x-aspnet-version']
const CACHE_HEADERS = ['cache-control', 'vary']
const KEY_HEADERS = ['content-type', 'location', ...SERVER_HEADERS, ...CACHE_HEADERS]

/** The fields of the head. */
export function headFields({ status, headers, finalUrl, redirects, addresses }: ResponseHeadFacts): Fingerprint {
  const { location } = headers
  return {
    status: String(status),
    finalUrl: short(finalUrl),
    redirects: redirects.length === 0 ? 'none' : redirects.join(', '),
    contentType: short(headers['content-type'] ?? 'none'),
    server: valuesOf(headers, SERVER_HEADERS),
    cache: valuesOf(headers, CACHE_HEADERS),
    location: location === undefined ? 'none' : short(maskUrl(location.replace(/[?#].*/s, ''))),
    ...(addresses && { dns: short([...addresses].sort().join(', ')) }),
  }
}

function valuesOf(headers: ResponseHeadFacts['headers'], names: readonly string[]): string {
  const given = names.filter((name) => headers[name] !== undefined)
  return given.length === 0 ? 'none' : short(given.map((name) => `${name}: ${headers[name]}`).join(', '))
}

/** The same for responses with the same fields. Cheap: every check computes it. */
export function headKey({ status, headers, finalUrl, redirects, addresses = [] }: ResponseHeadFacts): string {
  let text = `${status} ${finalUrl} ${redirects} ${addresses.length > 1 ? [...addresses].sort() : addresses}`
  for (const name of KEY_HEADERS) text += `\n${headers[name] ?? ''}`
  return crc32(text).toString(36)
}

/** More of a body is not parsed. */
const MAX_PARSED_CHARS = 64 * 1024
const MAX_SCRIPT_HOSTS = 20
const MAX_WORDS = 2_000

/** The fields of the body. Only computed if its checksum is not that of the check before. */
export function bodyFields(body: string, contentType: string | undefined, bytes: number): Fingerprint {
  const size = sizeClass(bytes)
  const text = body.slice(0, MAX_PARSED_CHARS)
  if (!/html/i.test(contentType ?? '') && !/^\s*<(!doctype html|html)/i.test(text)) {
    return { size, text: similarityHash(text) }
  }
  const title = /<title[^<>]*>([^<]*)/i.exec(text)?.[1]?.replaceAll(/\s+/g, ' ').trim()
  return {
    size,
    title: short(title || 'none'),
    scripts: scriptHosts(text),
    text: similarityHash(visibleText(text)),
  }
}

/** Powers of four: a page that grows a little stays in its class, mostly. */
function sizeClass(bytes: number): string {
  if (bytes === 0) return 'empty'
  const kib = 4 ** Math.max(0, Math.ceil(Math.log2(bytes / 1024) / 2))
  return `up to ${kib} KiB`
}

const SCRIPT = /<script\b[^<>]{0,2000}?\ssrc\s*=\s*["']?\s*(?:https?:)?\/\/([^\s"'/?#>:@]+)/gi

function scriptHosts(html: string): string {
  const hosts = new Set([...html.matchAll(SCRIPT)].map(([, host = '']) => host.toLowerCase()))
  return hosts.size === 0 ? 'none' : short([...hosts].sort().slice(0, MAX_SCRIPT_HOSTS).join(', '))
}

function visibleText(html: string): string {
  return html.replaceAll(/<(script|style)\b[^<>]*>[\s\S]*?(?:<\/\1|$)/gi, ' ').replaceAll(/<[^<>]*>/g, ' ')
}

/**
 * SimHash of the words, in 16 hexadecimal digits: texts that share most words differ in few bits. Digits count as one, because
 * clocks, counters and ids differ at every request.
 */
export function similarityHash(text: string): string {
  const weights = new Int32Array(64)
  const words =
    text
      .toLowerCase()
      .replaceAll(/\p{N}+/gu, '0')
      .match(/[\p{L}0]{1,40}/gu) ?? []
  for (const word of [...new Set(words)].slice(0, MAX_WORDS)) {
    const [low, high] = [crc32(word), crc32(word, 0x9e3779b9)]
    for (let bit = 0; bit < 32; bit++) {
      weights[bit] = (weights[bit] as number) + ((low >>> bit) & 1 ? 1 : -1)
      weights[bit + 32] = (weights[bit + 32] as number) + ((mix(high) >>> bit) & 1 ? 1 : -1)
    }
  }
  let hash = 0n
  for (let bit = 0; bit < 64; bit++) if ((weights[bit] as number) > 0) hash |= 1n << BigInt(bit)
  return hash.toString(16).padStart(16, '0')
}

/** Checksums are linear, so the second one would follow from the first. */
function mix(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x45d9f3b)
  return once ^ (once >>> 16)
}
