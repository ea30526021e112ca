import type { ConnectError } from '../../../outbound/errors.ts'

/** What became of one echo request. */
export type EchoResult =
  | { readonly got: 'reply'; readonly rttMs: number }
  /** Something on the way said that the request did not arrive. */
  | { readonly got: 'refusal'; readonly error: ConnectError }
  | { readonly got: 'silence' }
  /** It was never sent: this machine's own trouble. */
  | { readonly got: 'fault'; readonly error: ConnectError }

export interface Echo {
  /** Never rejects. Without an answer it waits until it is cancelled. */
  readonly settled: Promise<EchoResult>
  /** Stops waiting: what was silent so far has been silent. */
  cancel(): void
  /** It takes a process: one reply must do. */
  readonly isCostly?: boolean
}

/** One way to ping addresses of one family. */
export interface Echoer {
  ping(address: string): Echo
  close(): void
}
