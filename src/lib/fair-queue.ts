/** A lane has its own room to wait and a share of the slots: by its weight, among the lanes with waiting tasks. */
interface Lane {
  readonly weight: number
  readonly maxWaiting: number
}

interface Options<Name extends string> {
  readonly maxRunning: number
  readonly maxWaitingPerKey: number
  readonly lanes: Readonly<Record<Name, Lane>>
}

/** Where a task waits: in a lane, behind tasks with the same key. */
export interface Turn<Name extends string> {
  readonly lane: Name
  readonly key: string
}

/** The server is overloaded. */
export class QueueFull extends Error {
  override name = 'QueueFull'

  constructor() {
    super('Too many tasks are waiting')
  }
}

/**
 * Runs a limited number of tasks at once. Waiting tasks take turns by key, such as the client's address, so that a client with many
 * tasks delays only itself. In a full lane, a task of the key with the most tasks gives way; if no key has more than the newcomer,
 * the newcomer is refused.
 */
export class FairQueue<Name extends string> {
  readonly #maxRunning: number
  readonly #maxWaitingPerKey: number
  readonly #lanes: Readonly<Record<Name, WaitingLane>>
  #running = 0

  constructor({ maxRunning, maxWaitingPerKey, lanes }: Options<Name>) {
    this.#maxRunning = maxRunning
    this.#maxWaitingPerKey = maxWaitingPerKey
    const entries = (Object.entries(lanes) as [Name, Lane][]).map(([name, lane]) => [name, new WaitingLane(lane)])
    this.#lanes = Object.fromEntries(entries)
  }

  /** Whether a task would be accepted now. */
  hasRoom({ lane, key }: Turn<Name>): boolean {
    return this.#running < this.#maxRunning || this.#lanes[lane].hasRoom(key, this.#maxWaitingPerKey)
  }

  /** The result of the task. Throws QueueFull, without running it, if too many are waiting. */
  async run<T>({ lane, key }: Turn<Name>, task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#maxRunning) await this.#lanes[lane].wait(key, this.#maxWaitingPerKey)
    else this.#running += 1
    try {
      return await task()
    } finally {
      // The slot passes directly to the next task, so `#running` stays the same.
      const next = this.#next()
      if (next === undefined) this.#running -= 1
      else next.start()
    }
  }

  /** Smooth weighted round robin: the lane with the most credit is next and pays the weights of all lanes that wait. */
  #next(): Waiting | undefined {
    const waiting = Object.values<WaitingLane>(this.#lanes).filter(({ size }) => size > 0)
    let chosen: WaitingLane | undefined
    let total = 0
    for (const lane of waiting) {
      lane.credit += lane.weight
      total += lane.weight
      if (chosen === undefined || lane.credit > chosen.credit) chosen = lane
    }
    if (chosen === undefined) return undefined
    chosen.credit -= total
    return chosen.take()
  }
}

interface Waiting {
  start(): void
  refuse(error: QueueFull): void
}

class WaitingLane {
  readonly weight: number
  readonly #maxWaiting: number
  /** Tasks by key; the first key is next. */
  readonly #byKey = new Map<string, Waiting[]>()
  size = 0
  credit = 0

  constructor({ weight, maxWaiting }: Lane) {
    this.weight = weight
    this.#maxWaiting = maxWaiting
  }

  hasRoom(key: string, maxPerKey: number): boolean {
    const own = this.#byKey.get(key)?.length ?? 0
    return own < maxPerKey && (this.size < this.#maxWaiting || this.#longest(own + 1) !== undefined)
  }

  /** Resolves when the task may run. */
  wait(key: string, maxPerKey: number): Promise<void> {
    if (!this.hasRoom(key, maxPerKey)) return Promise.reject(new QueueFull())
    const own = this.#byKey.getOrInsertComputed(key, () => [])
    if (this.size < this.#maxWaiting) this.size += 1
    else
      this.#longest(own.length + 1)
        ?.pop()
        ?.refuse(new QueueFull())
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    own.push({ start: resolve, refuse: reject })
    return promise
  }

  take(): Waiting | undefined {
    const [entry] = this.#byKey
    if (entry === undefined) return undefined
    const [key, tasks] = entry
    const task = tasks.shift()
    this.#byKey.delete(key)
    if (tasks.length > 0) this.#byKey.set(key, tasks)
    this.size -= 1
    if (this.size === 0) this.credit = 0
    return task
  }

  /** The tasks of the key with the most, if these are more than `than`. */
  #longest(than: number): Waiting[] | undefined {
    let longest: Waiting[] | undefined
    for (const tasks of this.#byKey.values()) {
      if (tasks.length > (longest?.length ?? than)) longest = tasks
    }
    return longest
  }
}
