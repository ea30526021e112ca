import type { ConnectError } from '../../../outbound/errors.ts'

/** The result of one echo request. */
export type EchoResult =
  | { readonly outcome: 'reply'; readonly rttMs: number }
  /** A router reported that the request did not arrive. */
  | { readonly outcome: 'unreachable'; readonly error: ConnectError }
  | { readonly outcome: 'no reply' }
  /** A local problem. */
  | { readonly outcome: 'not sent'; readonly error: ConnectError }

export interface Echo {
  /** Never rejects. Without a reply it is pending until `cancel`. */
  readonly settled: Promise<EchoResult>
  /** Stops waiting; the outcome is then `no reply`. */
  cancel(): void
  /** Each echo takes a process, so one reply has to be enough. */
  readonly isCostly?: boolean
}

/** Pings addresses of one family. */
export interface Echoer {
  ping(address: string): Echo
  close(): void
}
