import type pg from 'pg'

/** A connection of the pool. */
export interface Pooled {
  readonly client: pg.Client
  /** The work that uses it; undefined while it is idle. */
  lease: Lease | undefined
  /** Whose work uses it: an organization's, or the empty string for all other work. */
  usedBy: string | undefined
  idleSince: number
  isLost: boolean
  /** The last warning of the server. */
  warning: string | undefined
}

/** A connection in use. Queries go through it, so that the pool can measure how long each has been running. */
export class Lease {
  readonly client: pg.Client
  readonly #pooled: Pooled
  readonly #giveBack: (isReusable: boolean) => void
  readonly #onError: (error: unknown) => void
  readonly statementMs: number
  readonly endsAt: number
  /** When the running statement began, or the last answer of several came. */
  busySince: number | undefined
  #running = 0

  constructor(
    pooled: Pooled,
    options: Pick<Lease, 'statementMs' | 'endsAt'>,
    giveBack: (isReusable: boolean) => void,
    onError: (error: unknown) => void,
  ) {
    this.client = pooled.client
    this.#pooled = pooled
    this.#giveBack = giveBack
    this.#onError = onError
    this.statementMs = options.statementMs
    this.endsAt = options.endsAt
  }

  /** The connection has ended, so what was not committed was rolled back. */
  get isLost(): boolean {
    return this.#pooled.isLost
  }

  /** The warning that came with the last statements, if any. */
  takeWarning(): string | undefined {
    const { warning } = this.#pooled
    this.#pooled.warning = undefined
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
      this.#onError(error)
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

  /** Returns the connection to the pool, or closes it if its state is unknown. Call it once. */
  release(isReusable = true): void {
    this.#giveBack(isReusable)
  }
}
