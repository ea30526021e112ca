import { type RawState, stateOfCode } from './raw-results.ts'

/** A result in a block. */
export interface StoredResult {
  readonly at: number
  readonly state: RawState
  readonly responseMs: number | null
}

/** A row of an open table of results. */
export interface ResultRow {
  readonly num: number
  readonly at: number
  readonly state: number
  readonly ms: number | null
  readonly keep_days: number
}

/**
 * A block holds results of one monitor, oldest first, as text: milliseconds since the first result, a letter for the state,
 * the response time. `0U120,30004U118,60001D` takes about 11 bytes per result, an indexed row 37 (80 in PostgreSQL).
 */
const letters = { UP: 'U', DEGRADED: 'G', DOWN: 'D' } as const
const states = new Map(Object.entries(letters).map(([state, letter]) => [letter, state as RawState]))

export interface Block {
  readonly num: number
  readonly first_at: number
  readonly results: string
}

export type BlockRow = Pick<ResultRow, 'at' | 'state' | 'ms'>

/** A block of results of one monitor. */
export function blockOf(num: number, rows: readonly BlockRow[]): Block {
  // Results are appended in batches of several nodes, so almost in order.
  const sorted = rows.toSorted((a, b) => a.at - b.at)
  const first = (sorted[0] as BlockRow).at
  return { num, first_at: first, results: sorted.map((row) => entryOf(row, first)).join(',') }
}

function entryOf({ at, state, ms }: BlockRow, first: number): string {
  return `${at - first}${letters[stateOfCode(state)]}${ms ?? ''}`
}

const entryPattern = /^(\d+)([UGD])(\d*)$/

/** The results of a block, oldest first. */
export function resultsIn({ first_at: first, results }: Pick<Block, 'first_at' | 'results'>): StoredResult[] {
  return results.split(',').map((entry) => {
    const [, offset, letter, ms] = entryPattern.exec(entry) ?? []
    if (offset === undefined) throw new Error(`A stored result cannot be read: ${entry.slice(0, 40)}`)
    const state = states.get(letter as 'U') as RawState
    return { at: first + Number(offset), state, responseMs: ms === '' ? null : Number(ms) }
  })
}
