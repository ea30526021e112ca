import type { OutboundCode } from './errors.ts'

/** An HTTP request to somebody else's server: a webhook, an alert, or one to an OpenID provider. */
export interface OutgoingRequest {
  readonly url: string
  /** POST by default. */
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Redirects are not followed: a 3xx is a response like any other. */
export type HttpResult =
  | {
      readonly answered: true
      readonly status: number
      /** The value of the Retry-After header. */
      readonly retryAfter: string | null
      /** The start of the response body, as text. */
      readonly body: string
      readonly durationMs: number
    }
  | {
      readonly answered: false
      readonly code: OutboundCode
      /** One sentence for people. */
      readonly error: string
      /** The cause is on this machine (out of sockets, stopping) and says nothing about the server. */
      readonly isLocalFault: boolean
      readonly durationMs: number
    }

/** Sends through the address guard; never throws. */
export type SendHttp = (request: OutgoingRequest, signal?: AbortSignal) => Promise<HttpResult>
