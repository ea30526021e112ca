import type { Confirmation } from '../../contract/check-options.ts'
import type { FailedTry, ProbeTarget, Sample } from '../../contract/probe.ts'

/** The timeout of a repeat, unless the monitor's own is shorter. */
const MAX_RETRY_TIMEOUT_MS = 10_000

/** After a failed attempt: how long to wait and how long the next one may take; undefined when there is none left. */
export function nextRetry(
  failures: number,
  kind: 'connection' | 'content',
  delaysSeconds: readonly number[],
  timeoutMs: number,
): { delayMs: number; timeoutMs: number } | undefined {
  // Wrong content is retried once, a connection failure once per delay.
  const retries = kind === 'content' ? Math.min(1, delaysSeconds.length) : delaysSeconds.length
  if (failures > retries) return undefined
  return {
    delayMs: (delaysSeconds[failures - 1] as number) * 1000,
    timeoutMs: Math.min(timeoutMs, MAX_RETRY_TIMEOUT_MS),
  }
}

/** One delay per repeat; the last one counts for the repeats that have none. */
function delaysOf(confirmation: Confirmation, installation: readonly number[]): readonly number[] {
  const { retryDelaysSeconds: delays = installation } = confirmation
  const { failureRetries = delays.length } = confirmation
  return Array.from({ length: failureRetries }, (_, i) => delays[i] ?? delays.at(-1) ?? 0)
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
 * Probes a target; a failed attempt is repeated on a new connection, and the last sample counts. It lists the failed ones. If somebody waits for the result,
 * repeats that would take too long are shortened or left out.
 */
export async function probeWithRetries(retrying: Retrying, target: ProbeTarget, signal: AbortSignal): Promise<Sample> {
  const endMs = target.isManual ? retrying.elapsedMs() + target.timeoutMs + MANUAL_EXTRA_MS : Number.POSITIVE_INFINITY
  const { confirmation } = target
  const delaysSeconds =
    confirmation === undefined ? retrying.delaysSeconds : delaysOf(confirmation, retrying.delaysSeconds)
  let startedMs = retrying.elapsedMs()
  let sample = await retrying.probe(target, signal)
  const tries: (Omit<FailedTry, 'agoMs'> & { readonly startedMs: number })[] = []
  for (let failures = 1; sample.outcome === 'failure'; failures += 1) {
    tries.push({ startedMs, code: sample.code, error: sample.error })
    // The monitor's own number of repeats counts for every kind of failure.
    const kind = confirmation?.failureRetries === undefined ? sample.kind : 'connection'
    const next = nextRetry(failures, kind, delaysSeconds, target.timeoutMs)
    if (next === undefined) break
    const timeoutMs = Math.min(next.timeoutMs, endMs - retrying.elapsedMs() - next.delayMs)
    if (timeoutMs < Math.min(SHORTEST_RETRY_MS, next.timeoutMs)) break
    await retrying.pause(next.delayMs, signal)
    startedMs = retrying.elapsedMs()
    sample = await retrying.probe({ ...target, timeoutMs }, signal)
  }
  if (tries.length === 0 || sample.outcome === 'inconclusive') return sample
  const endedMs = retrying.elapsedMs()
  return {
    ...sample,
    tries: tries.map(({ startedMs, ...failed }) => ({ ...failed, agoMs: Math.round(endedMs - startedMs) })),
  }
}
