import { isIPv4 } from 'node:net'
import type { Observed, ProbeTarget, Sample, Timings } from '../../contract/probe.ts'
import { connectTcp } from '../../outbound/connect.ts'
import { startDeadline } from '../../outbound/deadline.ts'
import { DeadlineError, OutboundError, type PeerCertificate, TlsError, type TlsPeer } from '../../outbound/errors.ts'
import type { Guard } from '../../outbound/guard.ts'
import { type Reason, reason } from '../../reasons/reason.ts'
import { certificateDetails, certificateKey } from './certificate-details.ts'
import { EchoedSecrets } from './echoed-secrets/hide.ts'

/** What an attempt is waiting for; the message of a timeout depends on it. */
type Stage = 'lookup' | 'connect' | 'tls' | 'response' | 'body'

/** One attempt to probe a target: its deadline, and what it has observed so far for its sample. Dispose of it, as of the deadline. */
export interface Attempt extends Disposable {
  readonly signal: AbortSignal
  /** Moved by what does not count as response time. */
  startedAt: number
  readonly knownDetails: string | undefined
  readonly knownPage: string | undefined
  readonly isTrial: boolean
  /** Hidden in the sample. */
  readonly secrets: EchoedSecrets
  /** All addresses of the name that the current hop has resolved. */
  addresses?: readonly string[]
  /** For the sample. `responseMs` is set where it is not the time that the attempt took. */
  observed: Observed
  stage: Stage
  /** The host of the current hop. */
  host: string
}

export type Failure = Pick<Extract<Sample, { outcome: 'failure' }>, 'code' | 'kind' | 'error' | 'excerpt'>

type Inconclusive = Extract<Sample, { outcome: 'inconclusive' }>

type Limits = Pick<ProbeTarget, 'timeoutMs' | 'knownDetails' | 'knownPage' | 'isTrial'>

export function startAttempt(
  { timeoutMs, knownDetails, knownPage, isTrial = false }: Limits,
  signal: AbortSignal,
  secrets = new EchoedSecrets(),
): Attempt {
  const deadline = startDeadline(timeoutMs, signal)
  return {
    signal: deadline.signal,
    startedAt: performance.now(),
    knownDetails,
    knownPage,
    isTrial,
    secrets,
    observed: {},
    stage: 'lookup',
    host: '',
    [Symbol.dispose]: deadline[Symbol.dispose],
  }
}

/** Resolves a host and connects to it. Notes the timings and the address. */
export async function connect(attempt: Attempt, host: string, port: number, guard: Guard) {
  attempt.host = host
  attempt.stage = 'lookup'
  const { addresses, dnsMs } = await guard.resolve(host, attempt.signal)
  const timings: Timings = dnsMs === undefined ? {} : { dnsMs: Math.round(dnsMs) }
  attempt.observed.timings = timings
  if (dnsMs !== undefined) attempt.addresses = addresses
  attempt.stage = 'connect'
  const { socket, address, connectMs } = await connectTcp(addresses, port, attempt.signal).catch((error: unknown) => {
    // All of them failed. IPv4 is judged by more: a DNS server that is reached over it shows that it works.
    attempt.observed.triedIp = addresses.find(isIPv4) ?? (addresses[0] as string)
    throw error
  })
  timings.connectMs = Math.round(connectMs)
  attempt.observed.ip = address
  return { socket, address, timings }
}

/**
 * Makes one attempt. If `work` resolves with null, it has succeeded. What `work` throws is a failure if the target has caused it, else
 * the attempt is inconclusive. Secrets of the target's settings are hidden in the sample.
 */
export async function makeAttempt(target: ProbeTarget, signal: AbortSignal, work: Work): Promise<Sample> {
  using attempt = startAttempt(target, signal, new EchoedSecrets(target))
  const sample = await sampleOf(attempt, work)
  return attempt.secrets.hideIn(sample)
}

type Work = (attempt: Attempt) => Promise<Failure | Inconclusive | null>

async function sampleOf(attempt: Attempt, work: Work): Promise<Sample> {
  try {
    const result = await work(attempt)
    if (result === null) return { outcome: 'success', responseMs: msSince(attempt.startedAt), ...attempt.observed }
    return 'outcome' in result ? result : failureOf(attempt, result)
  } catch (error) {
    return sampleOfError(attempt, error)
  }
}

function failureOf(attempt: Attempt, failure: Failure): Sample {
  return { outcome: 'failure', responseMs: msSince(attempt.startedAt), ...attempt.observed, ...failure }
}

/** Notes the certificate; its details are read only if they are not stored yet. An unreadable expiry date (NaN) cannot be stored. */
export function observeCertificate(attempt: Attempt, certificate: PeerCertificate | undefined, peer?: TlsPeer): void {
  if (certificate === undefined || Number.isNaN(certificate.expiresAt)) return
  attempt.observed.certificate = certificate
  if (peer === undefined) return
  const key = certificateKey(peer.presented.fingerprint256, peer.protocol, Date.now())
  if (key !== attempt.knownDetails) attempt.observed.details = { key, found: certificateDetails(peer) }
}

/** A failure when the target caused the error, else inconclusive. */
function sampleOfError(attempt: Attempt, error: unknown): Sample {
  if (!(error instanceof OutboundError)) return { outcome: 'inconclusive', reason: reasonOf(error, attempt.signal) }
  if (error.isLocalFault) return { outcome: 'inconclusive', reason: error.reason }
  if (error instanceof TlsError) observeCertificate(attempt, error.certificate, error.peer)
  const code = error.code === 'BLOCKED_ADDRESS' ? 'CONNECT' : error.code
  const why = error instanceof DeadlineError ? timeoutReason(attempt, error.timeoutMs) : error.reason
  // A forbidden address stays forbidden, so it is not retried like a connection failure.
  const kind = error.code === 'BLOCKED_ADDRESS' ? 'content' : 'connection'
  return failureOf(attempt, { code, kind, error: why })
}

function reasonOf(error: unknown, signal: AbortSignal): Reason {
  if (signal.aborted && error === signal.reason) return reason('check_cancelled')
  return reason('unexpected', { error: error instanceof Error ? error.message : String(error) })
}

function timeoutReason({ stage, host }: Attempt, ms: number): Reason {
  switch (stage) {
    case 'lookup':
      return reason('dns_timeout', { host, ms })
    case 'connect':
      return reason('connect_timeout', { host, ms })
    case 'tls':
      return reason('tls_timeout', { host, ms })
    case 'response':
      return reason('no_response', { ms })
    case 'body':
      return reason('response_incomplete', { ms })
  }
}

/** Whole milliseconds, as they are stored. */
export function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}
