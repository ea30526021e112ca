import type { Sample } from '../../contract/probe.ts'
import { DeadlineError, durationText } from '../../outbound/errors.ts'
import { type Attempt, failureOf, type NetworkTools, sampleOfError, startAttempt } from './attempt.ts'
import type { Echo, EchoResult } from './ping/echo.ts'
import type { Pinger } from './ping/pinger.ts'
import type { Probe } from './probe.ts'

export interface PingTools extends NetworkTools {
  readonly pinger: Pinger
}

const MAX_ECHOES = 3
/** Most of them are only for networks that this machine has no route to. */
const MAX_ADDRESSES = 8
/** A silent ping is followed by the next one after this long; its own reply still counts when it comes late. */
const NEXT_ECHO_MS = 1000

/** A host is up when one of up to three pings comes back; its response time is the mean of those that did. */
export const probePing: Probe<PingTools> = async (target, { guard, pinger }, signal) => {
  using visit = startAttempt(target.timeoutMs, signal)
  const { host } = target
  if (host === null) return failureOf(visit, { code: 'CONNECT', kind: 'content', error: 'The monitor has no host' })
  visit.host = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
  try {
    const { addresses, dnsMs } = await guard.resolve(visit.host, visit.signal)
    if (dnsMs !== undefined) visit.observed.timings = { dnsMs: Math.round(dnsMs) }
    const tally = await exchange(addresses, pinger, Math.min(NEXT_ECHO_MS, target.timeoutMs / 4), visit.signal)
    return judge(visit, tally)
  } catch (error) {
    return sampleOfError(visit, error)
  }
}

/** What all pings of one check brought home. */
interface Tally {
  readonly rttsMs: number[]
  /** The address of each ping that left this machine. */
  readonly sentTo: string[]
  /** The address that answered. */
  ip?: string
  refusal?: Error
  fault?: Error
  /** An address could be pinged, and then no longer: its silence may be our own. */
  isInDoubt?: boolean
}

/**
 * Sends ping after ping: the next one when the last was answered or has been silent for a while. A name with several
 * addresses is up when one of them is: while nobody answers they take turns, then the one that did gets the rest.
 */
async function exchange(
  addresses: readonly string[],
  pinger: Pinger,
  nextEchoMs: number,
  signal: AbortSignal,
): Promise<Tally> {
  const tally: Tally = { rttsMs: [], sentTo: [] }
  const echoes: Echo[] = []
  const results: Promise<void>[] = []
  const anyReply = Promise.withResolvers<void>()
  let candidates = addresses.slice(0, MAX_ADDRESSES)

  const take = (address: string, result: EchoResult): void => {
    switch (result.got) {
      case 'reply':
        tally.rttsMs.push(result.rttMs)
        tally.ip = address
        candidates = [address]
        anyReply.resolve()
        return
      case 'refusal':
        tally.refusal = result.error
        return
      case 'fault':
        tally.fault = result.error
        tally.sentTo.splice(tally.sentTo.indexOf(address), 1)
        tally.isInDoubt ||= tally.sentTo.includes(address)
        candidates = candidates.filter((candidate) => candidate !== address)
    }
  }
  const stop = () => {
    for (const echo of echoes) echo.cancel()
  }
  signal.addEventListener('abort', stop)
  try {
    while (tally.sentTo.length < MAX_ECHOES && !signal.aborted) {
      const address = candidates.shift()
      if (address === undefined) break
      candidates.push(address)
      const echo = pinger.ping(address)
      tally.sentTo.push(address)
      echoes.push(echo)
      const result = echo.settled.then((settled) => take(address, settled))
      results.push(result)
      await within(result, nextEchoMs)
      if (echo.isCostly && tally.rttsMs.length > 0) break
    }
    if (tally.rttsMs.length === 0) await Promise.race([anyReply.promise, Promise.all(results)])
    return tally
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, promise])
  clearTimeout(timer)
}

function judge(visit: Attempt, { rttsMs, sentTo, ip, refusal, fault, isInDoubt }: Tally): Sample {
  if (ip !== undefined) {
    visit.observed.ip = ip
    const meanMs = rttsMs.reduce((sum, rttMs) => sum + rttMs, 0) / rttsMs.length
    return { outcome: 'success', ...visit.observed, responseMs: Math.round(meanMs) }
  }
  const { aborted, reason } = visit.signal
  if (aborted && !(reason instanceof DeadlineError && !reason.isLocalFault)) return sampleOfError(visit, reason)
  if (refusal !== undefined) return sampleOfError(visit, refusal)
  if (fault !== undefined && (isInDoubt || sentTo.length === 0)) return sampleOfError(visit, fault)
  const pings = sentTo.length === 1 ? '1 ping' : `${sentTo.length} pings`
  const time = reason instanceof DeadlineError ? ` within ${durationText(reason.timeoutMs)}` : ''
  return failureOf(visit, { code: 'TIMEOUT', kind: 'connection', error: `No reply to ${pings}${time}` })
}
