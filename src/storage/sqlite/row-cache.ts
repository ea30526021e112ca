import type { AnyStatement, StepResult } from '../query.ts'

/** Bounds on what is kept, in all and of one answer; text counts by its characters, everything else as a little. */
const MOST_CHARACTERS = 16_000_000
const MOST_OF_ONE = 500_000

type Asked = { readonly statement: AnyStatement; readonly values: Readonly<Record<string, unknown>> }

/** How long a look at what other processes committed holds. */
export const FRESH_MS = 5

/**
 * Rows of repeated reads, kept until the next commit of any process. Our own commits say so themselves. Those of the
 * command line show in SQLite's `data_version`; a look at it takes system calls, so it holds for a few milliseconds, and
 * the command line waits longer than that before it reports a change: whoever knows of a change meets no older answer.
 */
export class RowCache {
  readonly #readVersion: () => number
  readonly #rows = new Map<string, StepResult>()
  #size = 0
  #version = -1
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(readVersion: () => number) {
    this.#readVersion = readVersion
  }

  recall(asked: Asked, read: () => StepResult): StepResult {
    this.#look()
    const key = keyOf(asked)
    const known = this.#rows.get(key)
    if (known !== undefined) return known
    const outcome = read()
    const size = sizeOf(outcome)
    if (this.#size + size > MOST_CHARACTERS) this.forget()
    if (size <= MOST_OF_ONE) {
      this.#rows.set(key, outcome)
      this.#size += size
    }
    return outcome
  }

  forget(): void {
    this.#rows.clear()
    this.#size = 0
  }

  #look(): void {
    const now = performance.now()
    if (now - this.#lookedAt < FRESH_MS) return
    // Before the version is read: what is committed meanwhile counts as not yet looked at.
    this.#lookedAt = now
    const version = this.#readVersion()
    if (version !== this.#version) this.forget()
    this.#version = version
  }
}

/** Ids, hashes and addresses hold no NUL, so the parts cannot run into each other. */
function keyOf({ statement, values }: Asked): string {
  let key = `${statement.id}`
  for (const name in values) key += `\0${values[name]}`
  return key
}

function sizeOf({ rows }: StepResult): number {
  let size = 100
  for (const row of rows as readonly Record<string, unknown>[]) {
    for (const name in row) size += typeof row[name] === 'string' ? row[name].length : 8
  }
  return size
}
