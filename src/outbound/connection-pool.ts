import type { HttpConnection } from './http-connection.ts'

/** Idle connections kept at most; the one that has been idle longest is closed first. */
const MAX_IDLE = 512

/**
 * Idle HTTP connections by origin. `take` gets the addresses that the guard has just permitted: a connection to any other
 * address (the name moved, or the policy now forbids it) is closed.
 */
export class ConnectionPool {
  /** In the order in which they became idle. */
  readonly #idle = new Set<HttpConnection>()

  get size(): number {
    return this.#idle.size
  }

  take(origin: string, addresses: readonly string[]): HttpConnection | undefined {
    // The latest first: it is the least likely to have been closed by the server.
    for (const connection of this.#idleOf(origin).reverse()) {
      this.#idle.delete(connection)
      if (!connection.isOpen) continue
      if (addresses.includes(connection.address)) return connection
      connection.close()
    }
    return undefined
  }

  release(connection: HttpConnection): void {
    if (!connection.isOpen) return
    this.#idle.add(connection)
    const [oldest] = this.#idle
    if (this.#idle.size > MAX_IDLE && oldest !== undefined) this.#close(oldest)
  }

  closeOrigin(origin: string): void {
    for (const connection of this.#idleOf(origin)) this.#close(connection)
  }

  close(): void {
    for (const connection of this.#idle) this.#close(connection)
  }

  #idleOf(origin: string): HttpConnection[] {
    return [...this.#idle].filter((connection) => connection.origin === origin)
  }

  #close(connection: HttpConnection): void {
    this.#idle.delete(connection)
    connection.close()
  }
}
