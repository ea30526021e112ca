import { DeadlineError } from '../../../outbound/errors.ts'
import { reason } from '../../../reasons/reason.ts'
import { guardFor } from '../apply-request-options.ts'
import { type Attempt, type Failure, makeAttempt } from '../attempt.ts'
import type { NetworkTools, Probe } from '../definition.ts'
import type { Echo, EchoResult } from './echo.ts'
import type { Pinger } from './pinger.ts'

export interface PingTools extends NetworkTools {
  readonly pinger: Pinger
}

const MAX_ECHOES = 3
/** Faults do not count as echoes, so further addresses are tried where this machine has no route to the first. */
const MAX_ADDRESSES = 8
/** The next echo is sent after this time without a reply; a later reply still counts. */
const NEXT_ECHO_MS = 1000

/** A host is up when one of up to three echo requests is answered; its response time is the mean of those answered. */
export const probePing: Probe<PingTools> = (target, { guard, pinger }, signal) =>
  makeAttempt(target, signal, async (attempt) => {
    const { host } = target
    if (host === null) return { code: 'CONNECT', kind: 'content', error: reason('no_host') }
    attempt.host = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
    const { addresses, dnsMs } = await guardFor(guard, target.request).resolve(attempt.host, attempt.signal)
    if (dnsMs !== undefined) attempt.observed.timings = { dnsMs: Math.round(dnsMs) }
    const nextEchoMs = Math.min(NEXT_ECHO_MS, target.timeoutMs / 4)
    return judge(attempt, await sendEchoes(addresses, pinger, nextEchoMs, attempt.signal))
  })

/** The results of all echoes of one attempt. */
interface EchoResults {
  readonly rttsMs: number[]
  /** The address of each echo that left this machine. */
  readonly sentTo: string[]
  /** The address that answered. */
  ip?: string
  unreachable?: Error
  /** Why an echo could not be sent. */
  sendError?: Error
  /** An address could be pinged first and not later, so its missing reply may be a local problem. */
  isInDoubt?: boolean
}

/**
 * Sends the next echo when the last was answered, or after `nextEchoMs`. The addresses of a name take turns until one
 * answers; that one gets the remaining echoes.
 */
async function sendEchoes(
  addresses: readonly string[],
  pinger: Pinger,
  nextEchoMs: number,
  signal: AbortSignal,
): Promise<EchoResults> {
  const results: EchoResults = { rttsMs: [], sentTo: [] }
  const echoes: Echo[] = []
  const pending: Promise<void>[] = []
  const anyReply = Promise.withResolvers<void>()
  let candidates = addresses.slice(0, MAX_ADDRESSES)

  const take = (address: string, result: EchoResult): void => {
    switch (result.outcome) {
      case 'reply':
        results.rttsMs.push(result.rttMs)
        results.ip = address
        candidates = [address]
        anyReply.resolve()
        return
      case 'unreachable':
        results.unreachable = result.error
        return
      case 'not sent':
        results.sendError = result.error
        results.sentTo.splice(results.sentTo.indexOf(address), 1)
        results.isInDoubt ||= results.sentTo.includes(address)
        candidates = candidates.filter((candidate) => candidate !== address)
    }
  }
  const cancel = () => {
    for (const echo of echoes) echo.cancel()
  }
  signal.addEventListener('abort', cancel)
  try {
    while (results.sentTo.length < MAX_ECHOES && !signal.aborted) {
      const address = candidates.shift()
      if (address === undefined) break
      candidates.push(address)
      const echo = pinger.ping(address)
      results.sentTo.push(address)
      echoes.push(echo)
      const result = echo.settled.then((settled) => take(address, settled))
      pending.push(result)
      await within(result, nextEchoMs)
      if (echo.isCostly && results.rttsMs.length > 0) break
    }
    if (results.rttsMs.length === 0) await Promise.race([anyReply.promise, Promise.all(pending)])
    return results
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, promise])
  clearTimeout(timer)
}

function judge(attempt: Attempt, results: EchoResults): Failure | null {
  const { rttsMs, sentTo, ip, unreachable, sendError, isInDoubt } = results
  if (ip !== undefined) {
    attempt.observed.ip = ip
    const meanMs = rttsMs.reduce((sum, rttMs) => sum + rttMs, 0) / rttsMs.length
    attempt.observed.responseMs = Math.round(meanMs)
    return null
  }
  const { aborted, reason: ended } = attempt.signal
  if (aborted && !(ended instanceof DeadlineError && !ended.isLocalFault)) throw ended
  if (sentTo[0] !== undefined) attempt.observed.triedIp = sentTo[0]
  if (unreachable !== undefined) throw unreachable
  if (sendError !== undefined && (isInDoubt || sentTo.length === 0)) throw sendError
  const count = sentTo.length
  const error =
    ended instanceof DeadlineError
      ? reason('ping_timeout', { count, ms: ended.timeoutMs })
      : reason('ping_silent', { count })
  return { code: 'TIMEOUT', kind: 'connection', error }
}
