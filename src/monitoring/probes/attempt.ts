import type { Certificate, FailureCode, Sample, Timings } from '../../contract/probe.ts'
import { startDeadline } from '../../outbound/deadline.ts'
import { DeadlineError, durationText, OutboundError, TlsError } from '../../outbound/errors.ts'
import type { Guard } from '../../outbound/guard.ts'

/** What probes that open sockets need. */
export interface NetworkTools {
  readonly guard: Guard
}

/** What a visit is waiting for; a time-out names it. */
export type Stage = 'lookup' | 'connect' | 'tls' | 'answer' | 'body'

interface Seen {
  timings?: Timings
  certificate?: Certificate
  ip?: string
  statusCode?: number
}

/** One visit to a target: its deadline, and what it has seen so far, for the sample that ends it. */
export interface Attempt extends Disposable {
  readonly signal: AbortSignal
  readonly startedAt: number
  observed: Seen
  stage: Stage
  /** The host of the current hop. */
  host: string
}

export interface Failure {
  readonly code: FailureCode
  readonly kind: 'connection' | 'content'
  readonly error: string
  readonly excerpt?: string
}

export function startAttempt(timeoutMs: number, signal: AbortSignal): Attempt {
  const deadline = startDeadline(timeoutMs, signal)
  return {
    signal: deadline.signal,
    startedAt: performance.now(),
    observed: {},
    stage: 'lookup',
    host: '',
    [Symbol.dispose]: deadline[Symbol.dispose],
  }
}

export function successOf(visit: Attempt): Sample {
  return { outcome: 'success', responseMs: msSince(visit.startedAt), ...visit.observed }
}

export function failureOf(visit: Attempt, failure: Failure): Sample {
  return { outcome: 'failure', responseMs: msSince(visit.startedAt), ...visit.observed, ...failure }
}

/** The sample for an exception: the target's faults make it fail, everything else is our own trouble. */
export function sampleOfError(visit: Attempt, error: unknown): Sample {
  if (!(error instanceof OutboundError)) return { outcome: 'inconclusive', reason: reasonOf(error, visit.signal) }
  if (error.isLocalFault) return { outcome: 'inconclusive', reason: error.message }
  if (error instanceof TlsError && error.certificate) visit.observed.certificate = error.certificate
  const code = error.code === 'BLOCKED_ADDRESS' ? 'CONNECT' : error.code
  const sentence = error instanceof DeadlineError ? timeoutSentence(visit, error.timeoutMs) : error.message
  // A forbidden address stays forbidden: asking again at once, as for a lost connection, would change nothing.
  const kind = error.code === 'BLOCKED_ADDRESS' ? 'content' : 'connection'
  return failureOf(visit, { code, kind, error: sentence })
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted && error === signal.reason) return 'The check was cancelled'
  return `Unexpected fault: ${error instanceof Error ? error.message : String(error)}`
}

function timeoutSentence({ stage, host }: Attempt, timeoutMs: number): string {
  const time = durationText(timeoutMs)
  switch (stage) {
    case 'lookup':
      return `The name ${host} did not resolve within ${time}`
    case 'connect':
      return `No connection to ${host} within ${time}`
    case 'tls':
      return `The TLS handshake with ${host} did not end within ${time}`
    case 'answer':
      return `No answer within ${time}`
    case 'body':
      return `The answer did not end within ${time}`
  }
}

/** Whole milliseconds: what is stored and shown. */
export function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}
