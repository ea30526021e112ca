import type pg from 'pg'

/** The pool that a connection belongs to. */
interface Owner {
  released(lease: Lease, isReusable: boolean): void
  failed(error: unknown): void
}

/**
 * A connection of the pool, which one piece of work uses at a time. Queries go through it, so that the pool can measure how long each
 * has been running.
 */
export class Lease {
  readonly client: pg.Client
  readonly #owner: Owner
  /** Whose work uses it: an organization's, or the empty string for all other work. Undefined while it is idle. */
  usedBy: string | undefined
  idleSince = 0
  /** The connection has ended, so what was not committed was rolled back. */
  isLost = false
  /** The last warning of the server. */
  warning: string | undefined
  /** The limits of the work that uses it. */
  statementMs = Number.POSITIVE_INFINITY
  endsAt = Number.POSITIVE_INFINITY
  /** When the running statement began, or the last answer of several came. */
  busySince: number | undefined
  #running = 0

  constructor(client: pg.Client, owner: Owner) {
    this.client = client
    this.#owner = owner
  }

  /** The warning that came with the last statements, if any. */
  takeWarning(): string | undefined {
    const { warning } = this
    this.warning = undefined
    return warning
  }

  async query(config: pg.QueryConfig | string): Promise<pg.QueryResult> {
    this.#running += 1
    this.busySince ??= performance.now()
    try {
      return await this.client.query(config)
    } catch (error) {
      // The stack of the answer's parser says nothing.
      if (error instanceof Error) Error.captureStackTrace(error)
      this.#owner.failed(error)
      throw error
    } finally {
      this.#running -= 1
      this.busySince = this.#running > 0 ? performance.now() : undefined
    }
  }

  /** Joins everything that is sent in the current turn of the event loop into one packet. */
  cork(): void {
    const { stream } = this.client.connection
    stream.cork()
    process.nextTick(() => stream.uncork())
  }

  /** Returns the connection to the pool, or closes it if its state is unknown. Call it once, and use it no more. */
  release(isReusable = true): void {
    this.#owner.released(this, isReusable)
  }
}
