import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '../support/eventually.ts'
import type { Client } from '../support/server.ts'
import type { Row } from './row.ts'

/** The shortest interval that a plan allows. */
export const INTERVAL_MS = 30_000

/**
 * New monitors are checked at once, after half an interval to one, and after another one at the latest. From then on they are
 * checked once per interval, so that a delay can be measured.
 */
const SETTLED_VISITS = 3
const SETTLED_MS = 2 * INTERVAL_MS + 20_000

/** How long answers take in rows that hit checks under way, and what a check may take. */
export const SLOW_MS = 3_000
const UNDER_WAY_MS = SLOW_MS + 2_000

/** For how long a monitor may be unchecked beyond its interval after a fault. */
const TAKEOVER_LIMIT_S = 15

/** Monitors that are created at a time. */
const CREATORS = 4

export interface Visit {
  /** By the clock of the tests. */
  readonly at: number
  /** The address of the node. */
  readonly from: string
}

export interface Gap {
  readonly path: string
  readonly before: Visit
  readonly after: Visit
  readonly ms: number
}

/** A web server that answers 200, unless a path is to fail, and records who asked when: the truth about what was checked. */
export class Targets implements AsyncDisposable {
  readonly #server: Server
  readonly #visits = new Map<string, Visit[]>()
  readonly #held = new Set<string>()
  readonly #prompt = new Set<string>()
  readonly #failing = new Set<string>()
  readonly #address: string

  private constructor(address: string, delayMs: number) {
    this.#address = address
    this.#server = createServer((request, response) => {
      const { url = '', socket } = request
      const from = socket.remoteAddress ?? ''
      this.#visits.getOrInsertComputed(url, () => []).push({ at: performance.now(), from })
      if (this.#failing.has(url)) response.statusCode = 503
      if (!this.#held.has(`${from} ${url}`))
        setTimeout(() => response.end('Welcome'), this.#prompt.has(url) ? 0 : delayMs)
    })
  }

  /** `delayMs` is how long an answer takes: a fault hits as many checks under way. */
  static async start(address = '127.0.0.1', delayMs = 0): Promise<Targets> {
    const targets = new Targets(address, delayMs)
    targets.#server.listen(0, address)
    await once(targets.#server, 'listening')
    return targets
  }

  url(path: string): string {
    return `http://${this.#address}:${(this.#server.address() as AddressInfo).port}${path}`
  }

  /** Creates monitors of `/0`, `/1`, …, and returns the paths. */
  async createMonitors(client: Client, count: number): Promise<string[]> {
    const paths = Array.from({ length: count }, (_, i) => `/${i}`)
    const waiting = [...paths]
    const create = async (): Promise<void> => {
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
        await this.createMonitor(client, path)
    }
    await Promise.all(Array.from({ length: CREATORS }, create))
    return paths
  }

  async createMonitor(client: Client, path: string, settings: object = {}): Promise<string> {
    const body = { name: path, type: 'HTTP', url: this.url(path), intervalSeconds: INTERVAL_MS / 1_000, ...settings }
    // A busy machine may answer 500; the key makes a repetition safe.
    return await eventually(async () => {
      const { status, body: monitor } = await client.post('/monitors', body, {
        'idempotency-key': `create${path.replace('/', '-')}`,
      })
      if (status !== 201) throw new Error(`POST /monitors answered ${status}: ${JSON.stringify(monitor)}`)
      return monitor.id
    }, 20_000)
  }

  /** From now on, requests of this node to this path get no answer, and those of others get one at once. */
  hold(from: string, path: string): void {
    this.#held.add(`${from} ${path}`)
    this.#prompt.add(path)
  }

  /** From now on, this path answers 503, or 200 again. */
  fail(path: string, isFailing = true): void {
    if (isFailing) this.#failing.add(path)
    else this.#failing.delete(path)
  }

  visits(path: string): readonly Visit[] {
    return this.#visits.get(path) ?? []
  }

  /** Visits to these paths since a moment, by node. */
  share(paths: readonly string[], since: number): Map<string, number> {
    const visits = paths.flatMap((path) => this.visits(path)).filter(({ at }) => at >= since)
    return new Map([...Map.groupBy(visits, ({ from }) => from)].map(([from, its]) => [from, its.length]))
  }

  /**
   * Checks that came too soon after the previous one. A check that was under way in the moment of a fault has no result, so
   * another node repeats it: those do not count.
   */
  repeated(paths: readonly string[], since: number, faults: readonly number[]): readonly Gap[] {
    const wasUnderWay = ({ at }: Visit): boolean =>
      faults.some((fault) => at > fault - UNDER_WAY_MS && at < fault + 500)
    const tooSoon = this.gaps(paths, since).filter(({ ms }) => ms < INTERVAL_MS / 2)
    return tooSoon.filter(({ before }) => !wasUnderWay(before))
  }

  /** Waits until each path was visited so often since a moment. */
  async untilVisited(paths: readonly string[], times: number, since: number, limitMs: number): Promise<void> {
    await eventually(async () => {
      const missing = paths.filter((path) => this.visits(path).filter(({ at }) => at >= since).length < times)
      if (missing.length > 0) {
        throw new Error(`${missing.length} of ${paths.length} monitors were not checked for ${limitMs / 1_000} s.`)
      }
    }, limitMs)
  }

  /** Waits until new monitors are checked once per interval. */
  async untilSettled(paths: readonly string[]): Promise<void> {
    await this.untilVisited(paths, SETTLED_VISITS, 0, SETTLED_MS)
  }

  /** The time between consecutive visits of each path, for pairs of which the second came after `since`. */
  gaps(paths: readonly string[], since: number): Gap[] {
    return paths.flatMap((path) => {
      const visits = this.visits(path)
      return visits.slice(1).flatMap((after, i) => {
        const before = visits[i] as Visit
        return after.at < since ? [] : [{ path, before, after, ms: after.at - before.at }]
      })
    })
  }

  /** All checks of a monitor, in seconds since a moment, such as that of the fault. */
  describe(path: string, since: number): string {
    const checks = this.visits(path).map(({ at, from }) => `${((at - since) / 1_000).toFixed(1)} s by ${from}`)
    return `${path} was checked at ${checks.join(', ')}`
  }

  /** The longest time for which a monitor was unchecked beyond its interval, up to now. */
  measureDelay(
    row: Row,
    paths: readonly string[],
    since: number,
    { what = 'longest time unchecked beyond the interval', limitSeconds = TAKEOVER_LIMIT_S } = {},
  ): void {
    const now = performance.now()
    // A monitor that is never checked again counts, too.
    const open = paths.map((path) => ({ path, ms: now - (this.visits(path).at(-1)?.at ?? 0) }))
    const [longest] = [...this.gaps(paths, since), ...open].toSorted((a, b) => b.ms - a.ms)
    const delayMs = Math.max(0, (longest?.ms ?? 0) - INTERVAL_MS)
    row.withinSeconds(what, delayMs, limitSeconds, () => this.describe(longest?.path ?? '', since))
  }

  /** No check may come twice, except one that was under way in the moment of a fault (see `repeated`). */
  measureRepeated(row: Row, paths: readonly string[], since: number, faults: readonly number[]): void {
    const repeated = this.repeated(paths, since, faults)
    row.none('checks repeated within half an interval', repeated, ({ path }) =>
      this.describe(path, faults[0] as number),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
