import { closeSync, fdatasync, openSync } from 'node:fs'

/**
 * Flushes SQLite's write-ahead log to disk. SQLite would do it within a commit and so block the event loop for as long as the
 * disk takes; here a thread of Node's pool waits for it.
 */
export class LogFile {
  readonly #path: string
  /** Stays open: the log is the same file for as long as the connection is open. */
  #descriptor: number | undefined
  /**
   * After a failed flush nobody knows what is on disk, and a second flush would succeed without having written it. Every later
   * flush fails, too, until a restart has read the log again.
   */
  failure: Error | undefined

  constructor(databaseFile: string) {
    this.#path = `${databaseFile}-wal`
  }

  /** Calls back when all commits before this call are on disk. */
  flush(done: (failure: Error | undefined) => void): void {
    const ended = (error: Error | null): void => {
      if (error !== null) this.failure ??= flushFailure(error)
      done(this.failure)
    }
    try {
      // SQLite creates the file with the first transaction.
      this.#descriptor ??= openSync(this.#path, 'r+')
    } catch (error) {
      ended(error as Error)
      return
    }
    fdatasync(this.#descriptor, ended)
  }

  /** To be called after the database is closed. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
  }
}

function flushFailure(cause: Error): Error {
  const text = `The disk failed to store the last changes (${cause.message}); restart the server when the disk works again`
  return new Error(text, { cause })
}
