import type { ProbeTarget, Sample } from '../../contract/probe.ts'

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

export interface Retrying {
  readonly probe: (target: ProbeTarget, signal: AbortSignal) => Promise<Sample>
  readonly delaysSeconds: readonly number[]
  /** Resolves after `ms`, or when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Probes a target; a failed attempt is repeated on a new connection, and the last sample counts. */
export async function probeWithRetries(retrying: Retrying, target: ProbeTarget, signal: AbortSignal): Promise<Sample> {
  let sample = await retrying.probe(target, signal)
  for (let failures = 1; sample.outcome === 'failure'; failures += 1) {
    const next = nextRetry(failures, sample.kind, retrying.delaysSeconds, target.timeoutMs)
    if (next === undefined) break
    await retrying.pause(next.delayMs, signal)
    sample = await retrying.probe({ ...target, timeoutMs: next.timeoutMs }, signal)
  }
  return sample
}
