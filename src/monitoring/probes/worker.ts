/** Entry point of a probe thread. Receives jobs in batches and returns samples in batches (create-probes.ts). */

import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { ProbeTarget, Sample } from '../../contract/probe.ts'
import { reason } from '../../reasons/reason.ts'
import { createProbes, type ProbeJob, type ProbeResult, type ProbeSettings } from './create-probes.ts'
import { probeWithRetries } from './retry.ts'
import { StallMeter } from './stall-meter.ts'

/** A connection failure measured during a stall of this length is inconclusive. */
const STALL_MS = 500
/** Results are posted after this time, or at once when no job is left: waking the main thread costs more than the copy. */
const FLUSH_AFTER_MS = 20
/**
 * Jobs started per turn of the event loop. Due checks arrive in bursts of hundreds; if all connected at once, each response
 * would wait behind all the connects and its response time would include that wait.
 */
const MAX_STARTS_PER_TURN = 24

const settings = workerData as ProbeSettings
const runProbe = createProbes(settings)
const stalls = new StallMeter(STALL_MS)

let queue: ProbeJob[] = []
let isStarting = false
const running = new Map<number, AbortController>()

let results: ProbeResult[] = []
let flushTimer: NodeJS.Timeout | undefined

function report(result: ProbeResult): void {
  results.push(result)
  if (running.size + queue.length === 0) {
    stalls.stop()
    flush()
  } else flushTimer ??= setTimeout(flush, FLUSH_AFTER_MS)
}

function flush(): void {
  clearTimeout(flushTimer)
  flushTimer = undefined
  parentPort?.postMessage(JSON.stringify(results))
  results = []
}

function startJobs(): void {
  for (const job of queue.splice(0, MAX_STARTS_PER_TURN)) void run(job)
  isStarting = queue.length > 0
  if (isStarting) setImmediate(startJobs)
}

async function run({ id, type, target }: ProbeJob): Promise<void> {
  const startedAt = performance.now()
  const controller = new AbortController()
  running.set(id, controller)
  stalls.start()
  let sample: Sample
  try {
    const probe = (of: ProbeTarget, signal: AbortSignal) => runProbe(type, of, signal)
    const retrying = { probe, delaysSeconds: settings.confirmDelaysSeconds, pause, elapsedMs: () => performance.now() }
    sample = await probeWithRetries(retrying, target, controller.signal)
    if (sample.outcome === 'failure' && sample.kind === 'connection') sample = doubt(sample, startedAt)
  } catch (error) {
    sample = { outcome: 'inconclusive', reason: reason('probe_failed', { error: (error as Error).message }) }
  }
  running.delete(id)
  report([id, sample])
}

/** A target that was not reached in time may be up, if this thread did not read its answer; then the sample is inconclusive. */
function doubt(sample: Sample, startedAt: number): Sample {
  const stalledMs = stalls.longestSince(startedAt)
  if (stalledMs < STALL_MS) return sample
  return { outcome: 'inconclusive', reason: reason('probe_blocked', { ms: Math.round(stalledMs) }) }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}

function cancel(ids: ReadonlySet<number>): void {
  const cancelled = queue.filter(({ id }) => ids.has(id))
  queue = queue.filter(({ id }) => !ids.has(id))
  for (const { id } of cancelled) report([id, { outcome: 'inconclusive', reason: reason('check_cancelled') }])
  for (const id of ids) running.get(id)?.abort(new Error('The check was cancelled'))
}

parentPort?.on('message', (message: string | readonly number[]) => {
  if (typeof message !== 'string') return cancel(new Set(message))
  queue.push(...(JSON.parse(message) as readonly ProbeJob[]))
  if (!isStarting) startJobs()
})
