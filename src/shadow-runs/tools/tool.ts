import type { OutgoingRequest } from '../../outbound/outgoing-request.ts'
import type { TheirMonitor } from '../verdicts.ts'

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
  /** `page` counts from 0. */
  readonly request: (url: string, key: string | null, page: number) => OutgoingRequest
  /** Reads the body of a 200. Throws UnexpectedAnswer. */
  readonly read: (body: string, page: number) => ToolPage
}

/** The answer is not that of the tool. The message is a sentence for people. */
export class UnexpectedAnswer extends Error {
  override name = 'UnexpectedAnswer'
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
  if (!address.pathname.endsWith(path)) address.pathname = address.pathname.replace(/\/*$/, path)
  return address
}

export function parseJson(body: string, tool: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new UnexpectedAnswer(`The answer is not the JSON of ${tool}. Check the address.`, { cause })
  }
}
