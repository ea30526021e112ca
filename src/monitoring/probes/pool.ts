import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { RunProbe, Sample } from '../../contract/probe.ts'
import type { Log } from '../../lib/log.ts'
import { reason } from '../../reasons/reason.ts'
import type { ProbeJob, ProbeResult, ProbeSettings } from './create-probes.ts'

/** Threads that run probes, so that TLS handshakes and response bodies do not delay API requests. */
export interface ProbePool {
  readonly runProbe: RunProbe
  close(): Promise<void>
}

const MAX_THREADS = 4
/** A thread that crashed is not started again sooner: one that cannot start would be restarted in a tight loop. */
const RESTART_AFTER_MS = 1_000
/** V8 collects garbage the sooner, the smaller these limits are. Without them a thread holds several times what it uses. */
const resourceLimits = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 960 }

const threadEnded: Sample = { outcome: 'inconclusive', reason: reason('probe_ended') }
const stopping: Sample = { outcome: 'inconclusive', reason: reason('server_stopping') }

/** Each thread starts with its first job. Response times are measured inside the thread, so they do not include that. */
export function createProbePool(settings: ProbeSettings, log: Log): ProbePool {
  const count = Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1))
  const threads = Array.from({ length: count }, () => new ProbeThread(settings, log))
  const leastBusy = () => threads.reduce((a, b) => (b.pendingCount < a.pendingCount ? b : a))
  return {
    runProbe: (...job) => leastBusy().runProbe(...job),
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

interface Pending {
  readonly resolve: (sample: Sample) => void
  readonly signal: AbortSignal
}

class ProbeThread {
  readonly #settings: ProbeSettings
  readonly #log: Log
  readonly #pending = new Map<number, Pending>()
  readonly #watchedSignals = new WeakSet<AbortSignal>()
  #worker: Worker | undefined
  /** Jobs that have not been posted yet. */
  #outbox: ProbeJob[] = []
  #lastId = 0
  #isClosed = false
  #restartAt = 0

  constructor(settings: ProbeSettings, log: Log) {
    this.#settings = settings
    this.#log = log
  }

  get pendingCount(): number {
    return this.#pending.size
  }

  readonly runProbe: RunProbe = (type, target, signal) => {
    if (signal.aborted || this.#isClosed) return Promise.resolve(stopping)
    if (this.#worker === undefined && performance.now() < this.#restartAt) return Promise.resolve(threadEnded)
    this.#worker ??= this.#start()
    this.#watch(signal)
    this.#lastId += 1
    const id = this.#lastId
    // One message for all jobs of this turn of the event loop.
    if (this.#outbox.push({ id, type, target }) === 1) setImmediate(() => this.#flush())
    return new Promise((resolve) => this.#pending.set(id, { resolve, signal }))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker?.terminate()
    this.#resolveAll(stopping)
  }

  /** All scheduled checks share one signal, so each signal is listened to once. */
  #watch(signal: AbortSignal): void {
    if (this.#watchedSignals.has(signal)) return
    this.#watchedSignals.add(signal)
    signal.addEventListener('abort', () => {
      const ids = [...this.#pending].filter(([, job]) => job.signal === signal).map(([id]) => id)
      if (ids.length === 0) return
      // Unsent jobs go first: the thread ignores the cancellation of a job that it has not received.
      this.#flush()
      this.#worker?.postMessage(ids)
    })
  }

  #flush(): void {
    if (this.#outbox.length === 0) return
    this.#worker?.postMessage(JSON.stringify(this.#outbox))
    this.#outbox = []
  }

  #start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: this.#settings, resourceLimits })
    worker.unref()
    worker.on('message', (text: string) => {
      for (const [id, sample] of JSON.parse(text) as readonly ProbeResult[]) this.#resolve(id, sample)
    })
    worker.on('error', (error) => this.#log.error({ err: error }, 'probe thread failed; restarting it'))
    worker.on('exit', () => {
      if (this.#isClosed) return
      this.#worker = undefined
      this.#restartAt = performance.now() + RESTART_AFTER_MS
      // Jobs that were never posted end with the others.
      this.#outbox = []
      this.#resolveAll(threadEnded)
    })
    return worker
  }

  #resolve(id: number, sample: Sample): void {
    const job = this.#pending.get(id)
    this.#pending.delete(id)
    job?.resolve(sample)
  }

  #resolveAll(sample: Sample): void {
    for (const id of [...this.#pending.keys()]) this.#resolve(id, sample)
  }
}
