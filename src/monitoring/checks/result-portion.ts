import { type Block, type BlockRow, blockOf, type ResultRow } from './result-blocks.ts'
import { dayOf } from './result-parts.ts'

/** Results of one day and retention time, by monitor. */
export interface PortionPart {
  readonly dayAt: number
  readonly keepDays: number
  /** The index of the latest row of each monitor. */
  readonly last: Map<number, number>
}

const NONE = -1

/**
 * Rows that become blocks together. In arrays of numbers: a hundred thousand objects that live for seconds would make each
 * garbage collection block the event loop for up to 40 ms.
 */
export class ResultPortion {
  readonly #at: Float64Array
  readonly #ms: Float64Array
  readonly #state: Uint8Array
  /** The index of the monitor's row before this one. */
  readonly #previous: Int32Array
  readonly #parts = new Map<string, PortionPart>()
  #count = 0

  constructor(size: number) {
    this.#at = new Float64Array(size)
    this.#ms = new Float64Array(size)
    this.#state = new Uint8Array(size)
    this.#previous = new Int32Array(size)
  }

  clear(): void {
    this.#count = 0
    this.#parts.clear()
  }

  add(rows: readonly ResultRow[]): void {
    for (const { num, at, state, ms, keep_days: keepDays } of rows) {
      const { last } = this.#partOf(dayOf(at), keepDays)
      const i = this.#count++
      this.#at[i] = at
      this.#ms[i] = ms ?? Number.NaN
      this.#state[i] = state
      this.#previous[i] = last.get(num) ?? NONE
      last.set(num, i)
    }
  }

  get parts(): readonly PortionPart[] {
    return [...this.#parts.values()]
  }

  /** The block of a monitor. */
  block({ last }: PortionPart, num: number): Block {
    const rows: BlockRow[] = []
    for (let i = last.get(num) ?? NONE; i !== NONE; i = this.#previous[i] as number) {
      const ms = this.#ms[i] as number
      rows.push({ at: this.#at[i] as number, state: this.#state[i] as number, ms: Number.isNaN(ms) ? null : ms })
    }
    return blockOf(num, rows.reverse())
  }

  #partOf(dayAt: number, keepDays: number): PortionPart {
    const key = `${dayAt} ${keepDays}`
    const known = this.#parts.get(key)
    if (known !== undefined) return known
    const part = { dayAt, keepDays, last: new Map<number, number>() }
    this.#parts.set(key, part)
    return part
  }
}
