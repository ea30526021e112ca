import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../lib/log.ts'
import { Places } from '../../lib/places.ts'
import type { Stop } from '../../outbound/stop.ts'
import type { ProbeSettings } from './index.ts'
import { KnownTargets } from './known-targets.ts'
import type { Ask, Look } from './look.ts'
import type { Sample } from './probe.ts'
import type { Done } from './worker.ts'

/** The threads that probe, so that handshakes and bodies never keep a request waiting. */
export interface ProbePool {
  readonly look: Look
  readonly ask: Ask
  readonly threads: number
  close(): Promise<void>
}

const MOST_THREADS = 4
const REVIVE_AFTER_MS = 1_000
/**
 * Probes leave little behind; left to itself a thread would let garbage pile up to several times what is in use. The smaller the
 * bound of the old, the sooner V8 collects it, whether or not it is ever reached.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 960 }

export function startProbePool(settings: ProbeSettings, log: Log): ProbePool {
  const count = Math.min(MOST_THREADS, Math.max(1, availableParallelism() - 1))
  const threads = Array.from({ length: count }, () => new ProbeThread(settings, log))
  // The least busy one: a slow target fills one thread's table no faster than another's.
  const leastBusy = () => threads.reduce((a, b) => (b.load < a.load ? b : a))
  const ask: Ask = (type, target, signal, done) => leastBusy().ask(type, target, signal, done)
  return {
    threads: count,
    ask,
    look: (type, target, signal) => new Promise((resolve) => ask(type, target, signal, resolve)),
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

interface Waiting {
  readonly done: (sample: Sample) => void
  readonly signal: Stop
}

class ProbeThread {
  readonly #settings: ProbeSettings
  readonly #log: Log
  readonly #waiting = new Places<Waiting>()
  readonly #watched = new WeakSet<Stop>()
  #worker: Worker
  #jobs: string[] = []
  #known = new KnownTargets()
  #closed = false
  #down = false

  constructor(settings: ProbeSettings, log: Log) {
    this.#settings = settings
    this.#log = log
    this.#worker = this.#spawn()
  }

  get load(): number {
    return this.#waiting.size
  }

  readonly ask: Ask = (type, target, signal, done) => {
    if (signal.aborted || this.#closed) return done(stopping)
    if (this.#down) return done(threadGone)
    this.#watch(signal)
    const id = this.#waiting.put({ done, signal })
    // What comes in one turn of the event loop goes over in one message.
    if (this.#jobs.push(this.#known.jobText(id, type, target)) === 1) setImmediate(() => this.#flush())
  }

  /** All checks of the schedule share one signal, so it is listened to once. */
  #watch(signal: Stop): void {
    if (this.#watched.has(signal)) return
    this.#watched.add(signal)
    const abort = () => {
      const ended = this.#waiting.where((look) => look.signal === signal)
      if (ended.length === 0) return
      // First what is still to go over: a thread that is told to break off what it does not know does nothing.
      this.#flush()
      this.#worker.postMessage(ended)
    }
    signal.addEventListener('abort', abort)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#worker.terminate()
    this.#settleAll(stopping)
  }

  #flush(): void {
    if (this.#jobs.length === 0) return
    // As text: one string is copied for a fraction of what its fields cost.
    this.#worker.postMessage(`[${this.#jobs.join()}]`)
    this.#jobs = []
  }

  #spawn(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: this.#settings,
      resourceLimits,
    })
    worker.unref()
    worker.on('message', (text: string) => {
      for (const [id, sample] of JSON.parse(text) as readonly Done[]) this.#settle(id, sample)
    })
    worker.on('error', (error) => this.#log.error({ err: error }, 'a probe thread failed; another one takes its place'))
    worker.on('exit', () => {
      if (this.#closed) return
      this.#down = true
      // Not at once: a thread that cannot even start would be started over and over.
      setTimeout(() => this.#revive(), REVIVE_AFTER_MS).unref()
      this.#settleAll(threadGone)
    })
    return worker
  }

  #revive(): void {
    if (this.#closed) return
    this.#known = new KnownTargets()
    this.#worker = this.#spawn()
    this.#down = false
  }

  #settle(id: number, sample: Sample): void {
    this.#waiting.take(id)?.done(sample)
  }

  #settleAll(sample: Sample): void {
    for (const id of this.#waiting.where(() => true)) this.#settle(id, sample)
  }
}

const threadGone: Sample = { outcome: 'inconclusive', reason: "The probe's thread ended" }
const stopping: Sample = { outcome: 'inconclusive', reason: 'The server is stopping' }
