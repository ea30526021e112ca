import type { Socket } from 'node:net'
import pg from 'pg'

/** A query of `pg` with the members that its type definitions leave out. */
interface Query {
  name: string | undefined
  text: string
  readonly _results: pg.QueryResult
  /** Returns what cannot be sent. */
  submit(connection: Connection): Error | null
  handleRowDescription(message: unknown): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: Connection): void
  handleReadyForQuery(connection: Connection): void
  handleError(error: unknown, connection: Connection): void
}

interface Connection {
  readonly submittedNamedStatements: Record<string, string>
  readonly stream: Socket
  sync(): void
}

const QueryClass = pg.Query as unknown as new (config: object) => Query

interface GroupCallbacks {
  /** After each statement. */
  onProgress(): void
  resolve(results: readonly pg.QueryResult[]): void
  /** With the position of the statement that failed. Those after it were not run. */
  reject(error: unknown, position: number): void
}

/**
 * Several statements that `pg` handles as one query. They are sent without a Sync message between them, so the server
 * answers all of them at once; after an error it skips the rest. Separate statements would each cost a write and a read of the
 * socket on both sides.
 */
export class StatementGroup extends QueryClass {
  readonly #members: readonly Query[]
  readonly #callbacks: GroupCallbacks
  #position = 0
  #unsent: Error | undefined

  constructor(statements: readonly pg.QueryConfig[], callbacks: GroupCallbacks) {
    super({ text: '' })
    this.#callbacks = callbacks
    const callback = (error: Error): void => {
      this.#unsent = error
    }
    this.#members = statements.map(({ name, text, values = [] }) => {
      // Also without values: as a simple query it would end the group.
      return new QueryClass({ name, text, values, callback, queryMode: 'extended' })
    })
    this.#enter(0)
  }

  /** `pg` submits the group, and passes it the answers of the server until the next ReadyForQuery. */
  override submit(connection: Connection): null {
    const withoutSync = Object.create(connection, { sync: { value: () => undefined } })
    for (const member of this.#members) {
      const error = member.submit(withoutSync)
      if (error !== null) this.#unsent = error
    }
    connection.sync()
    // Some messages are missing: the answers could not be assigned.
    if (this.#unsent !== undefined) connection.stream.destroy(this.#unsent)
    return null
  }

  override handleRowDescription(message: unknown): void {
    this.#current?.handleRowDescription(message)
  }

  override handleDataRow(message: unknown): void {
    this.#current?.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    this.#current?.handleCommandComplete(message, connection)
    this.#enter(this.#position + 1)
    this.#callbacks.onProgress()
  }

  override handleReadyForQuery(): void {
    this.#callbacks.resolve(this.#members.map(({ _results: result }) => result))
  }

  override handleError(error: unknown, connection: Connection): void {
    // The server has skipped these, and has not prepared them.
    for (const { name } of this.#members.slice(this.#position)) {
      if (name !== undefined) delete connection.submittedNamedStatements[name]
    }
    this.#callbacks.reject(error, this.#position)
  }

  get #current(): Query | undefined {
    return this.#members[this.#position]
  }

  /** `pg` notes under the name of the query that the server has prepared it. */
  #enter(position: number): void {
    this.#position = position
    this.name = this.#current?.name
    this.text = this.#current?.text ?? ''
  }
}
