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
function headFields({ status, headers, finalUrl, redirects, addresses }: ResponseHeadFacts): Fingerprint {
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

/** The same for responses with the same fields. Cheap: every check computes it. The status and the addresses have keys of their own. */
function headKey({ headers, finalUrl, redirects }: ResponseHeadFacts): string {
  let text = `${finalUrl} ${redirects}`
  for (const name of KEY_HEADERS) text += `\n${headers[name] ?? ''}`
  return crc32(text).toString(36)
}

function dnsKey({ addresses = [] }: ResponseHeadFacts): string {
  return crc32(addresses.length > 1 ? [...addresses].sort().join() : (addresses[0] ?? '')).toString(36)
}

/** The key of a part that the probe leaves out. */
export const SKIPPED = '*'

/** Separators do not occur in checksums. */
export function pageKeyOf(keys: readonly string[]): string {
  return keys.join('.')
}

/** The keys of the parts dns, head, title and body, in this order. */
export function pageKeysIn(key: string): readonly string[] {
  return key.split('.')
}

/** The body of a response, which is only decoded if it is needed. */
export interface ResponseBody {
  readonly checksum: number
  readonly bytes: number
  /** Undefined if it is compressed. */
  text(contentType: string | undefined): string | undefined
}

/**
 * What the response looks like, without the parts that are as `known`; null if all are. A part with the known key SKIPPED is left
 * out. The body is parsed only if its checksum differs, and as long as it is skipped only its title is looked for.
 */
export function pageFacts(
  known: string,
  facts: ResponseHeadFacts,
  body: ResponseBody | undefined,
): { readonly key: string; readonly fields: Fingerprint } | null {
  const [dns, head, checksum] = [dnsKey(facts), headKey(facts), body?.checksum.toString(36) ?? '']
  const [knownDns, knownHead, knownTitle = '', knownBody] = pageKeysIn(known)
  const isKnownHead = isKnown(dns, knownDns) && isKnown(head, knownHead)
  if (isKnownHead && knownBody === checksum) return null
  const [isTitleKnown, isBodyKnown] = [knownTitle === SKIPPED || knownBody === checksum, isKnown(checksum, knownBody)]
  const type = facts.headers['content-type']
  const text = isTitleKnown && isBodyKnown ? undefined : parsedText(body, type)
  const title = isTitleKnown || text === undefined ? undefined : titleIn(text, type)
  const titleKey = isTitleKnown ? knownTitle : title === undefined ? '' : crc32(title).toString(36)
  if (isKnownHead && isBodyKnown && titleKey === knownTitle) return null
  const fields = {
    ...headFields(facts),
    ...(title !== undefined && { title }),
    ...(text !== undefined && !isBodyKnown && bodyFields(text, type, body?.bytes ?? 0)),
  }
  return { key: pageKeyOf([dns, head, titleKey, checksum]), fields }
}

function isKnown(key: string, known: string | undefined): boolean {
  return known === key || known === SKIPPED
}

/** The start of the body; undefined if there is none or it is compressed. */
function parsedText(body: ResponseBody | undefined, type: string | undefined): string | undefined {
  return body?.text(type)?.slice(0, MAX_PARSED_CHARS)
}

/** More of a body is not parsed. */
const MAX_PARSED_CHARS = 64 * 1024
const MAX_SCRIPT_HOSTS = 20
const MAX_WORDS = 2_000

function isHtml(text: string, contentType: string | undefined): boolean {
  return /html/i.test(contentType ?? '') || /^\s*<(!doctype html|html)/i.test(text)
}

/** Undefined if the text is not HTML. */
function titleIn(text: string, contentType: string | undefined): string | undefined {
  if (!isHtml(text, contentType)) return undefined
  const title = /<title[^<>]*>([^<]*)/i.exec(text)?.[1]?.replaceAll(/\s+/g, ' ').trim()
  return short(title || 'none')
}

/** The fields of the body apart from its title. Only computed if its checksum is not that of the check before. */
function bodyFields(text: string, contentType: string | undefined, bytes: number): Fingerprint {
  const size = sizeClass(bytes)
  if (!isHtml(text, contentType)) return { size, text: similarityHash(text) }
  return { size, scripts: scriptHosts(text), text: similarityHash(visibleText(text)) }
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
