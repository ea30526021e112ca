import type { AnyStatement, StepResult, Values } from '../query.ts'

/** Limits in characters of text, for the whole cache and for one result. Other values count as 8, what is derived as 0. */
const MAX_CHARACTERS = 16_000_000
const MAX_RESULT_CHARACTERS = 500_000

/** How long a check for commits of other processes is trusted. */
export const VERSION_CHECK_MS = 5

interface Read {
  readonly statement: AnyStatement
  readonly values: Values
}

/**
 * Rows of cacheable statements, kept until the next commit of any process. Our own commits call `clear`. Commits of the
 * command line change SQLite's `data_version`; reading it takes system calls, so it is read at most every 5 ms. The
 * command line waits longer than that before it reports a change, so a reported change is always visible.
 */
export class RowCache {
  readonly #readVersion: () => number
  readonly #results = new Map<string, StepResult>()
  #characters = 0
  #version = -1
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(readVersion: () => number) {
    this.#readVersion = readVersion
  }

  get(step: Read, read: () => StepResult): StepResult {
    this.#checkVersion()
    const key = keyOf(step)
    const cached = this.#results.get(key)
    if (cached !== undefined) return cached
    const result = read()
    const characters = charactersIn(result)
    if (this.#characters + characters > MAX_CHARACTERS) this.clear()
    if (characters <= MAX_RESULT_CHARACTERS) {
      this.#results.set(key, result)
      this.#characters += characters
    }
    return result
  }

  clear(): void {
    this.#results.clear()
    this.#characters = 0
  }

  #checkVersion(): void {
    const now = performance.now()
    if (now - this.#checkedAt < VERSION_CHECK_MS) return
    // Set before reading, so that a commit during the read is noticed by the next check.
    this.#checkedAt = now
    const version = this.#readVersion()
    if (version !== this.#version) this.clear()
    this.#version = version
  }
}

/** Ids, hashes and addresses contain no NUL, so NUL separates the values. */
function keyOf({ statement, values }: Read): string {
  let key = `${statement.id}`
  for (const name in values) key += `\0${values[name]}`
  return key
}

function charactersIn({ rows }: StepResult): number {
  let sum = 100
  for (const row of rows as readonly Record<string, unknown>[]) {
    for (const name in row) sum += typeof row[name] === 'string' ? row[name].length : 8
  }
  return sum
}
