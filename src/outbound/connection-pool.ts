import type { HttpConnection } from './http-connection.ts'

/** Idle connections kept at most; the one that has been idle longest is closed first. */
const MAX_IDLE = 512

/**
 * Idle HTTP connections by origin. `take` gets the addresses that the guard has just permitted: a connection to any other
 * address (the name moved, or the policy now forbids it) is closed.
 */
export class ConnectionPool {
  readonly #idle = new Map<string, HttpConnection[]>()
  /** The same connections in the order in which they became idle. */
  readonly #order = new Set<HttpConnection>()

  get size(): number {
    return this.#order.size
  }

  take(origin: string, addresses: readonly string[]): HttpConnection | undefined {
    const idle = this.#idle.get(origin)
    // The latest first: it is the least likely to have been closed by the server.
    for (let connection = idle?.pop(); connection !== undefined; connection = idle?.pop()) {
      this.#order.delete(connection)
      if (idle?.length === 0) this.#idle.delete(origin)
      if (!connection.isOpen) continue
      if (addresses.includes(connection.address)) return connection
      connection.close()
    }
    return undefined
  }

  release(connection: HttpConnection): void {
    if (!connection.isOpen) return
    const idle = this.#idle.get(connection.origin)
    if (idle === undefined) this.#idle.set(connection.origin, [connection])
    else idle.push(connection)
    this.#order.add(connection)
    if (this.#order.size <= MAX_IDLE) return
    const [oldest] = this.#order
    if (oldest !== undefined) this.#closeOne(oldest)
  }

  closeOrigin(origin: string): void {
    for (const connection of this.#idle.get(origin) ?? []) {
      this.#order.delete(connection)
      connection.close()
    }
    this.#idle.delete(origin)
  }

  close(): void {
    for (const origin of [...this.#idle.keys()]) this.closeOrigin(origin)
  }

  #closeOne(connection: HttpConnection): void {
    this.#order.delete(connection)
    connection.close()
    const rest = this.#idle.get(connection.origin)?.filter((other) => other !== connection) ?? []
    if (rest.length > 0) this.#idle.set(connection.origin, rest)
    else this.#idle.delete(connection.origin)
  }
}
