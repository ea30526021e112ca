import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../../lib/log.ts'
import { RoundRobin } from '../../lib/round-robin.ts'
import { type Availability, DatabaseUnavailable, watchAvailability } from './availability.ts'
import { type Connector, destroyClient, endClient, messageOf, secondsOf } from './connector.ts'
import { Lease } from './lease.ts'
import { requestLimits, type WorkLimits } from './limits.ts'
import { ordinaryLimits } from './session.ts'

const SWEEP_MS = 250
const MAX_SWEEP_MS = 1_000
/** After this time without an answer the pool asks on another connection whether the server hangs. */
const SUSPECT_MS = 2_000
const ASK_AGAIN_MS = 1_000
const OPEN_MS = 2_500
const IDLE_MS = 30_000
const MAX_WAITING = 10_000
const RETRY_MS = 50
/** For work in progress to end when the pool is closed. */
const CLOSE_MS = 5_000

const WARNING = '01000'
const UNKNOWN_END = 'the connection was closed, because its state is unknown'

interface Waiting {
  readonly usedBy: string
  wake(lease: Lease | undefined): void
}

/** Connections of a node for its work. All waits are limited. */
export class Pool {
  readonly #connector: Connector
  readonly #size: number
  readonly #log: Log
  readonly #all = new Set<Lease>()
  readonly #idle: Lease[] = []
  /** Woken in turns by organization, with a connection or to try again. */
  readonly #waiting = new RoundRobin<Waiting>()
  readonly #sweep: NodeJS.Timeout
  readonly availability: Availability
  #opening = 0
  #sweptAt = performance.now()
  #suspectedAt = Number.NEGATIVE_INFINITY
  /** Why the last connection could not be opened. */
  #lastFailure: string | undefined
  #isClosed = false

  constructor(connector: Connector, size: number, log: Log) {
    this.#connector = connector
    this.#size = size
    this.#log = log
    this.availability = watchAvailability(connector, log, () => this.#dropIdle())
    this.#sweep = setInterval(() => this.#enforceLimits(), SWEEP_MS).unref()
  }

  /** Runs one statement with the limits of requests. */
  async query(config: pg.QueryConfig | string, values?: unknown[]): Promise<pg.QueryResult> {
    const lease = await this.connect(requestLimits)
    try {
      return await lease.query(typeof config === 'string' ? { text: config, ...(values && { values }) } : config)
    } finally {
      lease.release()
    }
  }

  /**
   * Waits for a connection. Throws `DatabaseUnavailable` if there is none in time. Work takes turns by organization; work
   * without one is a group of its own.
   */
  async connect(limits: WorkLimits, startedAt = performance.now(), orgId = ''): Promise<Lease> {
    const endsAt = startedAt + limits.totalMs
    const deadline = Math.min(endsAt, performance.now() + limits.connectionMs)
    for (;;) {
      if (this.#isClosed) throw new DatabaseUnavailable('The database is closed')
      if (!this.availability.isUsable()) await this.availability.untilUsable(deadline)
      const lease = this.#takeIdle() ?? (await this.#openOrWait(deadline, orgId))
      if (lease !== undefined) return Object.assign(lease, { usedBy: orgId, statementMs: limits.statementMs, endsAt })
      if (performance.now() >= deadline) throw this.#noConnection(limits)
    }
  }

  #noConnection({ connectionMs }: WorkLimits): DatabaseUnavailable {
    const reason = this.#lastFailure ?? `all ${this.#size} connections of PHAROS_DATABASE_POOL are in use`
    const message = `No PostgreSQL connection within ${secondsOf(connectionMs)} s: ${reason}`
    this.#log.warn(message)
    return new DatabaseUnavailable(message)
  }

  #takeIdle(): Lease | undefined {
    for (let lease = this.#idle.pop(); lease !== undefined; lease = this.#idle.pop()) {
      if (!lease.isLost) return lease
    }
    return undefined
  }

  /** Returns undefined if the caller should try again. */
  async #openOrWait(deadline: number, orgId: string): Promise<Lease | undefined> {
    if (this.#all.size + this.#opening >= this.#size) return this.#wait(deadline, orgId)
    const startedAt = performance.now()
    this.#opening += 1
    try {
      return await this.#open(Math.min(OPEN_MS, deadline - startedAt))
    } catch (error) {
      this.#lastFailure = messageOf(error)
    } finally {
      this.#opening -= 1
    }
    this.#wakeOne()
    // If the database answers on another connection, a connection limit may be reached.
    if (await this.availability.suspect(startedAt)) await delay(RETRY_MS)
    return undefined
  }

  async #open(timeoutMs: number): Promise<Lease> {
    const { client } = await this.#connector.connect(ordinaryLimits, Math.max(100, timeoutMs))
    this.#lastFailure = undefined
    const lease = new Lease(client, {
      released: (released, isReusable) => this.#released(released, isReusable),
      failed: (error) => this.availability.note(error),
    })
    const onLost = (error?: Error): void => {
      if (lease.isLost) return
      lease.isLost = true
      if (lease.usedBy === undefined && !this.#isClosed)
        this.#log.warn({ err: error }, 'idle PostgreSQL connection lost')
      this.#remove(lease)
    }
    client.on('error', onLost)
    client.on('end', () => onLost())
    client.on('notice', ({ code, message }) => {
      if (code === WARNING) lease.warning = message
    })
    this.#all.add(lease)
    return lease
  }

  #wait(deadline: number, usedBy: string): Promise<Lease | undefined> {
    if (this.#waiting.size >= MAX_WAITING)
      throw new DatabaseUnavailable('Too much work is waiting for a PostgreSQL connection')
    return new Promise((resolve) => {
      const waiting: Waiting = {
        usedBy,
        wake(lease) {
          clearTimeout(timer)
          resolve(lease)
        },
      }
      const timer = setTimeout(
        () => {
          this.#waiting.delete(usedBy, waiting)
          resolve(undefined)
        },
        Math.max(0, deadline - performance.now()),
      )
      this.#waiting.add(usedBy, waiting)
    })
  }

  /** Of an organization that uses half of the connections only if nobody else waits. */
  #nextWaiting(): Waiting | undefined {
    if (this.#waiting.size === 0) return undefined
    const used = new Map<string, number>()
    for (const { usedBy = '' } of this.#all) used.set(usedBy, (used.get(usedBy) ?? 0) + 1)
    return this.#waiting.take((key) => key === '' || (used.get(key) ?? 0) < Math.max(1, Math.floor(this.#size / 2)))
  }

  #released(lease: Lease, isReusable: boolean): void {
    lease.usedBy = undefined
    if (lease.isLost) return
    if (isReusable && !this.#isClosed) this.#giveBack(lease)
    else this.#close(lease, UNKNOWN_END)
  }

  #giveBack(lease: Lease): void {
    const next = this.#nextWaiting()
    if (next !== undefined) {
      // Counted at once: the next connection may be given back before this one is lent.
      lease.usedBy = next.usedBy
      next.wake(lease)
    } else {
      lease.idleSince = performance.now()
      this.#idle.push(lease)
    }
  }

  #close(lease: Lease, reason: string): void {
    lease.isLost = true
    destroyClient(lease.client, new DatabaseUnavailable(reason))
    this.#remove(lease)
  }

  #remove(lease: Lease): void {
    if (!this.#all.delete(lease)) return
    const at = this.#idle.indexOf(lease)
    if (at !== -1) this.#idle.splice(at, 1)
    this.#wakeOne()
  }

  /** There is room for a new connection. */
  #wakeOne(): void {
    this.#nextWaiting()?.wake(undefined)
  }

  /**
   * In an outage idle connections may be dead without an error: new ones are opened afterwards. Work that waits for a
   * connection is woken and waits for the end of the outage. Statements under way are ended by `#enforceLimits`.
   */
  #dropIdle(): void {
    for (const lease of [...this.#idle]) this.#close(lease, 'The database does not answer')
    for (const { wake } of this.#waiting.takeAll()) wake(undefined)
  }

  #enforceLimits(): void {
    const now = performance.now()
    const isStalled = now - this.#sweptAt > MAX_SWEEP_MS
    this.#sweptAt = now
    // After a stall of this process answers may be there and unread: they are read first.
    if (isStalled) return
    for (const lease of [...this.#all]) {
      if (lease.usedBy === undefined) this.#endIdle(lease, now)
      else if (lease.busySince !== undefined) this.#endUnanswered(lease, lease.busySince, now)
    }
  }

  #endIdle(lease: Lease, now: number): void {
    if (now - lease.idleSince < IDLE_MS || !this.#idle.includes(lease)) return
    lease.isLost = true
    this.#remove(lease)
    void endClient(lease.client)
  }

  #endUnanswered(lease: Lease, busySince: number, now: number): void {
    const busyMs = now - busySince
    if (busyMs < SUSPECT_MS) return
    const isOutage = !this.availability.isUsable()
    if (!isOutage && now - this.#suspectedAt >= ASK_AGAIN_MS) {
      this.#suspectedAt = now
      void this.availability.suspect(busySince)
    }
    const isLate = now >= lease.endsAt || busyMs >= lease.statementMs
    if (!isLate && !(isOutage && lease.endsAt < Number.POSITIVE_INFINITY)) return
    const message = `PostgreSQL did not answer a statement within ${secondsOf(busyMs)} s`
    this.#log.warn(`${message}; its connection was closed`)
    this.#close(lease, message)
  }

  /** Waits for work in progress, but not for long. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { wake } of this.#waiting.takeAll()) wake(undefined)
    const idle = this.#idle.splice(0)
    for (const lease of idle) lease.isLost = true
    const goodbyes = idle.map((lease) => endClient(lease.client))
    for (const lease of idle) this.#all.delete(lease)
    const endsAt = performance.now() + CLOSE_MS
    while (this.#all.size > 0 && performance.now() < endsAt) await delay(10)
    for (const lease of [...this.#all]) this.#close(lease, 'The database was closed')
    clearInterval(this.#sweep)
    await Promise.all([...goodbyes, this.availability.close()])
  }
}
