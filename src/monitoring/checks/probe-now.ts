import type { ProbeTarget, RunProbe, Sample } from '../../contract/probe.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { reason } from '../../reasons/reason.ts'

/** A probe takes up to 10 s longer than the timeout, and asking the sentinels 3 s. One second is left for everything else. */
const LIMIT_EXTRA_MS = 14 * SECOND_MS

/** Probes a target while somebody waits for the result: it comes within the timeout and 14 s. */
export async function probeNow(
  runProbe: RunProbe,
  type: string,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<Sample> {
  const probe = runProbe(type, { ...target, isManual: true }, signal)
  // If the thread of the probe hangs.
  const { promise, resolve } = Promise.withResolvers<Sample>()
  const late: Sample = {
    outcome: 'inconclusive',
    reason: reason('probe_late'),
  }
  const timer = setTimeout(resolve, target.timeoutMs + LIMIT_EXTRA_MS, late)
  try {
    return await Promise.race([probe, promise])
  } finally {
    clearTimeout(timer)
  }
}
