import { englishText } from '../../../reasons/english.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'

/**
 * What patterns may cost in one assertion. A probe thread runs the checks of many monitors, and none of them may wait longer for
 * another one's.
 */
const MAX_MS = 40
/** What patterns may cost in all assertions of a check; other checks run between them. */
const MAX_TOTAL_MS = 100
/** Values that all paths of a check may visit. Each takes up to 200 ns. */
const MAX_VISITS = 200_000
/** Text is read in about 30 ns per character, by hostile patterns in 25 µs. */
const READS_PER_CLOCK = 64

/** The assertion costs too much. */
export class BudgetExceeded extends Error {
  /** What of it. */
  readonly reason: Reason

  constructor(why: Reason) {
    super(englishText(why))
    this.reason = why
  }
}

/**
 * Bounds the work of a check's assertions: values that paths visit are counted, and while patterns read a text, the CPU time of the
 * thread is. The clock on the wall would fail checks on a busy machine.
 */
export class Budget {
  #visits = 0
  #spentMs = 0
  /** Of the assertion, once it uses a pattern. */
  #usage: { readonly startedAt: number; readonly cpu: NodeJS.CpuUsage } | undefined

  /** Ends an assertion. Other checks may use the thread before the next one. */
  end(): void {
    if (this.#usage !== undefined) this.#spentMs += cpuMs(this.#usage.cpu)
    this.#usage = undefined
  }

  visit(count = 1): void {
    this.#visits += count
    if (this.#visits > MAX_VISITS) throw new BudgetExceeded(reason('path_visits', { count: MAX_VISITS }))
  }

  /** A text for RE2JS, which accepts String objects and reads them character by character. */
  metered(text: string): string {
    return new MeteredText(text, () => this.checkTime()) as unknown as string
  }

  /** Called before each use of a pattern, and while it reads. */
  checkTime(): void {
    if (this.#spentMs > MAX_TOTAL_MS) throw new BudgetExceeded(reason('assertions_slow'))
    this.#usage ??= { startedAt: performance.now(), cpu: process.threadCpuUsage() }
    // Reading the CPU time is slower, and it is never ahead of the wall clock.
    if (performance.now() - this.#usage.startedAt > MAX_MS && cpuMs(this.#usage.cpu) > MAX_MS)
      throw new BudgetExceeded(reason('pattern_slow'))
  }
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since)
  return (user + system) / 1000
}

class MeteredText extends String {
  readonly #text: string
  readonly #checkTime: () => void
  #reads = 0

  constructor(text: string, checkTime: () => void) {
    super(text)
    this.#text = text
    this.#checkTime = checkTime
  }

  override charCodeAt(index: number): number {
    this.#reads += 1
    if (this.#reads % READS_PER_CLOCK === 0) this.#checkTime()
    return this.#text.charCodeAt(index)
  }

  override indexOf(searched: string, position?: number): number {
    return this.#text.indexOf(searched, position)
  }
}
