import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { FairQueue } from './fair-queue.ts'
import { type ForeignAnswer, type ForeignRequest, resultOf } from './foreign-thread.ts'
import { type ForeignTask, type ForeignWork, ForeignWorkFailed } from './foreign-work.ts'
import type { Log } from './log.ts'

const MAX_THREADS = Math.min(2, Math.max(1, availableParallelism() - 1))
/** The longest honest task, a configuration document of 16 MiB, takes less than a second on a quiet machine. */
const DEADLINE_MS = 15_000
const MAX_WAITING = 32
const MAX_WAITING_PER_KEY = 4
/** A thread takes 10 MB, so it ends when it is not used. */
const IDLE_MS = 10_000
/** Twice what 16 MiB of JSON take within the bounds of `json-bounds.ts`. */
const resourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 192, stackSizeMb: 4 }

const TOO_MUCH_MEMORY = 'needs too much memory to be read'
const TOO_MUCH_TIME = 'takes too long to be read'

/** Threads for work on foreign text. A thread that exceeds its memory or its deadline ends, and the next task gets a new one. */
export class ForeignThreads implements ForeignWork {
  readonly #entry: URL
  readonly #log: Log
  readonly #deadlineMs: number
  readonly #queue = new FairQueue({
    maxRunning: MAX_THREADS,
    maxWaitingPerKey: MAX_WAITING_PER_KEY,
    lanes: { all: { weight: 1, maxWaiting: MAX_WAITING } },
  })
  readonly #idle: ForeignThread[] = []
  readonly #all = new Set<ForeignThread>()
  #isClosed = false

  /** `entry`: the module that calls `serveForeignTasks`. */
  constructor(entry: URL, log: Log, deadlineMs = DEADLINE_MS) {
    this.#entry = entry
    this.#log = log
    this.#deadlineMs = deadlineMs
  }

  run<In, Out>({ name }: ForeignTask<In, Out>, input: In, key: string): Promise<Out> {
    return this.#queue.run({ lane: 'all', key }, async () => {
      if (this.#isClosed) throw new ForeignWorkFailed('was not read, because the server is stopping')
      const thread = this.#idle.pop() ?? this.#start()
      const answer = await thread.ask({ name, input }, this.#deadlineMs)
      if (thread.isAlive) this.#rest(thread)
      if ('result' in answer) return resultOf<Out>(answer.result)
      this.#log.debug({ task: name, err: answer.error }, 'work on foreign text failed')
      if (answer.error.name === ForeignWorkFailed.name) throw new ForeignWorkFailed(answer.error.message)
      throw Object.assign(new Error(answer.error.message), { name: answer.error.name })
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map((thread) => thread.end()))
  }

  #start(): ForeignThread {
    const thread = new ForeignThread(this.#entry, () => {
      this.#all.delete(thread)
      const at = this.#idle.indexOf(thread)
      if (at !== -1) this.#idle.splice(at, 1)
    })
    this.#all.add(thread)
    return thread
  }

  #rest(thread: ForeignThread): void {
    this.#idle.push(thread)
    thread.endAfter(IDLE_MS)
  }
}

class ForeignThread {
  readonly #worker: Worker
  readonly #onEnd: () => void
  #settle: ((answer: ForeignAnswer) => void) | undefined
  #timer: NodeJS.Timeout | undefined
  isAlive = true

  constructor(entry: URL, onEnd: () => void) {
    this.#onEnd = onEnd
    this.#worker = new Worker(entry, { resourceLimits, env: {}, execArgv: [], stdin: false })
    this.#worker.unref()
    this.#worker.on('message', (answer: ForeignAnswer) => this.#settle?.(answer))
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      this.#fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? TOO_MUCH_MEMORY : error.message)
    })
    this.#worker.on('exit', () => this.#fail(TOO_MUCH_MEMORY))
  }

  ask(request: ForeignRequest, deadlineMs: number): Promise<ForeignAnswer> {
    clearTimeout(this.#timer)
    return new Promise((resolve) => {
      const deadline = setTimeout(() => this.#fail(TOO_MUCH_TIME), deadlineMs)
      this.#settle = (answer) => {
        clearTimeout(deadline)
        this.#settle = undefined
        resolve(answer)
      }
      this.#worker.postMessage(request)
    })
  }

  endAfter(ms: number): void {
    this.#timer = setTimeout(() => void this.end(), ms).unref()
  }

  async end(): Promise<void> {
    this.#fail('was not read, because the server is stopping')
    await this.#worker.terminate()
  }

  #fail(message: string): void {
    if (this.isAlive) {
      this.isAlive = false
      clearTimeout(this.#timer)
      this.#onEnd()
      void this.#worker.terminate()
    }
    this.#settle?.({ error: { name: ForeignWorkFailed.name, message } })
  }
}
