import type { Confirmation } from '../../contract/check-options.ts'
import type { FailedTry, ProbeTarget, Sample } from '../../contract/probe.ts'

/** The timeout of a repeat, unless the monitor's own is shorter. */
const MAX_RETRY_TIMEOUT_MS = 10_000

/** One delay per repeat; the last one counts for the repeats that have none. */
function delaysOf(confirmation: Confirmation | undefined, installation: readonly number[]): readonly number[] {
  const delays = confirmation?.retryDelaysSeconds ?? installation
  return Array.from(
    { length: confirmation?.failureRetries ?? delays.length },
    (_, i) => delays[i] ?? delays.at(-1) ?? 0,
  )
}

/** A repeat that has less time than this is left out. */
const SHORTEST_RETRY_MS = 1_000

/** How long a check may take that somebody waits for, all attempts together, beyond the timeout of the first. */
const MANUAL_EXTRA_MS = 10_000

export interface Retrying {
  readonly probe: (target: ProbeTarget, signal: AbortSignal) => Promise<Sample>
  readonly delaysSeconds: readonly number[]
  /** Resolves after `ms`, or when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /** Milliseconds from any fixed moment. */
  readonly elapsedMs: () => number
}

/**
 * Probes a target; a failed attempt is repeated on a new connection, and the last sample counts. It lists the failed ones. If somebody
 * waits for the result, repeats that would take too long are shortened or left out.
 */
export async function probeWithRetries(retrying: Retrying, target: ProbeTarget, signal: AbortSignal): Promise<Sample> {
  const { confirmation, isManual, timeoutMs } = target
  let startedMs = retrying.elapsedMs()
  const endMs = isManual ? startedMs + timeoutMs + MANUAL_EXTRA_MS : Number.POSITIVE_INFINITY
  let sample = await retrying.probe(target, signal)
  if (sample.outcome !== 'failure') return sample
  const delaysSeconds = delaysOf(confirmation, retrying.delaysSeconds)
  // A connection failure is repeated once per delay, wrong content once, unless the monitor has its own number of repeats.
  const contentRetries = confirmation?.failureRetries ?? Math.min(1, delaysSeconds.length)
  const maxTimeoutMs = Math.min(timeoutMs, MAX_RETRY_TIMEOUT_MS)
  const tries: (Omit<FailedTry, 'agoMs'> & { readonly startedMs: number })[] = []
  for (let failures = 1; sample.outcome === 'failure'; failures += 1) {
    tries.push({ startedMs, code: sample.code, error: sample.error })
    if (failures > (sample.kind === 'content' ? contentRetries : delaysSeconds.length)) break
    const delayMs = (delaysSeconds[failures - 1] as number) * 1000
    const retryTimeoutMs = Math.min(maxTimeoutMs, endMs - retrying.elapsedMs() - delayMs)
    if (retryTimeoutMs < Math.min(SHORTEST_RETRY_MS, maxTimeoutMs)) break
    await retrying.pause(delayMs, signal)
    startedMs = retrying.elapsedMs()
    sample = await retrying.probe({ ...target, timeoutMs: retryTimeoutMs }, signal)
  }
  if (sample.outcome === 'inconclusive') return sample
  const endedMs = retrying.elapsedMs()
  return {
    ...sample,
    tries: tries.map(({ startedMs, ...failed }) => ({ ...failed, agoMs: Math.round(endedMs - startedMs) })),
  }
}
