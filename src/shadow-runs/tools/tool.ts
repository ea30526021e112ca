import { boundFault, type JsonBounds } from '../../contract/json-bounds.ts'
import { oneLine, truncate } from '../../lib/text.ts'
import type { OutgoingRequest } from '../../outbound/outgoing-request.ts'
import type { TheirMonitor } from '../verdicts.ts'

/** Of all pages together. No tool lists as many within the limits of its pages. */
export const MAX_MONITORS = 10_000
/** Uptime Kuma writes about 2 KB per monitor, Gatus less than 1 KB. */
export const MAX_PAGE_BYTES = 1024 * 1024
/** A Gatus endpoint with 20 conditions has 55 keys. */
const JSON_BOUNDS: JsonBounds = { keys: 100_000, items: 100_000, depth: 16, noun: 'page' }
/** Those of Pharos have at most 120 characters. */
const MAX_NAME_CHARS = 200
const MAX_ID_CHARS = 200
/** Longer than the address of any monitor of ours. */
const MAX_ADDRESS_CHARS = 2_048
const MAX_MESSAGE_CHARS = 200

/** A page of a tool's monitors, and the number of the next page if there is one. */
interface ToolPage {
  readonly monitors: readonly TheirMonitor[]
  readonly nextPage?: number
}

/** How a tool is asked for its verdicts. */
export interface ToolClient {
  /** The name for people. */
  readonly name: string
  /** If a run need not name an address. */
  readonly defaultUrl?: string
  /** Of one page. */
  readonly maxBytes: number
  readonly maxPages: number
  /** `page` counts from 0. */
  readonly request: (url: string, key: string | null, page: number) => OutgoingRequest
  /** Reads the body of a 200, in a thread for foreign text. Throws UnexpectedAnswer. */
  readonly read: (body: Uint8Array, page: number) => ToolPage
}

/** The answer is not that of the tool. The message is a sentence for people. */
export class UnexpectedAnswer extends Error {
  override name = 'UnexpectedAnswer'
}

export function tooManyMonitors(tool: string, listed: string, max: number): UnexpectedAnswer {
  const most = max.toLocaleString('en')
  return new UnexpectedAnswer(`${tool} lists ${listed} monitors. A shadow run compares at most ${most}.`)
}

/** `user:password`, or a password without a user. */
export function basicAuth(key: string | null): Readonly<Record<string, string>> {
  if (key === null) return {}
  const credentials = key.includes(':') ? key : `:${key}`
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

/** The address with a path, unless it has one already. */
export function withPath(url: string, path: string): URL {
  const address = new URL(url)
  if (!address.pathname.endsWith(path)) address.pathname = withoutEndSlashes(address.pathname) + path
  return address
}

/** A pattern would try each of many slashes in the middle. */
export function withoutEndSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end -= 1
  return text.slice(0, end)
}

const decoder = new TextDecoder()

/** Bytes that are not UTF-8 become U+FFFD: at worst the name of a monitor is not found. */
export function textOf(body: Uint8Array): string {
  return decoder.decode(body)
}

export function parseJson(body: Uint8Array, tool: string): unknown {
  const beyond = boundFault(body, JSON_BOUNDS)
  if (beyond !== undefined) throw new UnexpectedAnswer(`The answer of ${tool} ${beyond.message}.`)
  try {
    return JSON.parse(textOf(body))
  } catch (cause) {
    throw new UnexpectedAnswer(`The answer is not the JSON of ${tool}. Check the address.`, { cause })
  }
}

/** Texts as a tool gave them. */
interface GivenMonitor {
  readonly id: string | undefined
  readonly name: string
  readonly otherNames?: readonly string[]
  readonly address?: string | undefined
  readonly state: TheirMonitor['state']
}

/** Names are cut, because people read them. A longer id or address is that of no monitor of ours, so it is left out. */
export function boundedMonitor({ id, name, otherNames, address, state }: GivenMonitor): TheirMonitor {
  const isUsed = (text: string | undefined, max: number) => text !== undefined && text !== '' && text.length <= max
  return {
    name: cutName(name),
    state,
    ...(otherNames && { otherNames }),
    ...(isUsed(id, MAX_ID_CHARS) && { id: id as string }),
    ...(isUsed(address, MAX_ADDRESS_CHARS) && { address: address as string }),
  }
}

export function cutName(name: string): string {
  return name.slice(0, MAX_NAME_CHARS)
}

/** A foreign text within a sentence for people. */
export function shown(text: string): string {
  return truncate(oneLine(text.slice(0, 2 * MAX_MESSAGE_CHARS)), MAX_MESSAGE_CHARS)
}

/** A text or a number of JSON as text. */
export function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? `${value}` : undefined
}
