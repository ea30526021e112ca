import type { OutboundCode } from './errors.ts'

/** A message to somebody else's server. */
export interface OutgoingRequest {
  readonly url: string
  /** POST unless said otherwise. */
  readonly method?: 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What came of it. Redirects are not followed: a 3xx is an answer like any other. */
export type HttpResult =
  | {
      readonly answered: true
      readonly status: number
      /** The value of Retry-After, if one came. */
      readonly retryAfter: string | null
      /** The beginning of the answer, as text. */
      readonly body: string
      readonly durationMs: number
    }
  | {
      readonly answered: false
      readonly code: OutboundCode
      /** One sentence for people. */
      readonly error: string
      /** The fault is this machine's (out of sockets, stopping) and says nothing about the other side. */
      readonly isLocalFault: boolean
      readonly durationMs: number
    }

/** Sends through the address guard; never throws. */
export type SendHttp = (letter: OutgoingRequest, signal?: AbortSignal) => Promise<HttpResult>
