import type { HttpConnection } from './http-connection.ts'

/** Idle connections that are kept at most; the one that was idle longest goes first. */
const MOST_IDLE = 512

/**
 * Connections that wait for their next letter. One is handed out only for addresses that were judged a moment ago: when
 * the name has moved, or may no longer be reached, what was connected before is closed.
 */
export class ConnectionPool {
  readonly #idle = new Map<string, HttpConnection[]>()
  /** In the order in which they became idle. */
  readonly #order = new Set<HttpConnection>()

  get size(): number {
    return this.#order.size
  }

  take(origin: string, addresses: readonly string[]): HttpConnection | undefined {
    const waiting = this.#idle.get(origin)
    // The latest first: it is the least likely to have been closed by the other side.
    for (let line = waiting?.pop(); line !== undefined; line = waiting?.pop()) {
      this.#order.delete(line)
      if (waiting?.length === 0) this.#idle.delete(origin)
      if (!line.isOpen) continue
      if (addresses.includes(line.address)) return line
      line.close()
    }
    return undefined
  }

  release(line: HttpConnection): void {
    if (!line.isOpen) return
    const waiting = this.#idle.get(line.origin)
    if (waiting === undefined) this.#idle.set(line.origin, [line])
    else waiting.push(line)
    this.#order.add(line)
    if (this.#order.size <= MOST_IDLE) return
    const [oldest] = this.#order
    if (oldest !== undefined) this.#drop(oldest)
  }

  /** What leads to an origin is closed, because it must not be reached any more. */
  closeOrigin(origin: string): void {
    for (const line of this.#idle.get(origin) ?? []) {
      this.#order.delete(line)
      line.close()
    }
    this.#idle.delete(origin)
  }

  close(): void {
    for (const origin of [...this.#idle.keys()]) this.closeOrigin(origin)
  }

  #drop(line: HttpConnection): void {
    this.#order.delete(line)
    line.close()
    const rest = this.#idle.get(line.origin)?.filter((other) => other !== line) ?? []
    if (rest.length > 0) this.#idle.set(line.origin, rest)
    else this.#idle.delete(line.origin)
  }
}
