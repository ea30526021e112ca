import { DAY_MS } from '../../lib/clock.ts'

export const resultStates = ['UP', 'DEGRADED', 'DOWN', 'INCONCLUSIVE'] as const
export type ResultState = (typeof resultStates)[number]

/** A result as it is stored. */
export interface StoredResult {
  readonly at: number
  readonly state: ResultState
  readonly responseMs: number | null
}

/**
 * Results of one monitor as text, for a part of a day: milliseconds since the first result, a letter for the state, the response
 * time. `0U120,30004U118,60001D` takes about 11 bytes per result, an indexed row 37 (80 in PostgreSQL).
 */
export interface Block {
  readonly firstAt: number
  readonly results: string
}

/**
 * The block that a monitor's results are added to. The newest results are in the state row, which every check writes. Once they
 * exceed PENDING_CHARACTERS, the check that adds the last one appends them to the row of the block (check-results/store.ts).
 */
export interface ResultLog {
  readonly firstAt: number
  /** The length of the block's row. */
  readonly storedCharacters: number
  /** Results that are not in the block's row yet. */
  readonly pending: string
}

/** About 12 results. Each check writes them again, so more of them make checks more expensive, and fewer of them appends. */
const PENDING_CHARACTERS = 130
/** About 80 results. SQLite stores longer rows on two pages. */
const BLOCK_CHARACTERS = 800

const letters = { UP: 'U', DEGRADED: 'G', DOWN: 'D', INCONCLUSIVE: 'I' } as const
const statesByLetter = new Map(
  Object.entries(letters).map(([state, letter]) => [letter as string, state as ResultState]),
)

export interface Added {
  readonly log: ResultLog
  /** To be appended to the rows of their blocks. */
  readonly toStore: readonly Block[]
}

/** Adds a result. A day begins a new block, and so does a clock that was set back. */
export function addResult(log: ResultLog | null, result: StoredResult): Added {
  const toStore: Block[] = []
  let { firstAt, storedCharacters, pending } = log ?? { firstAt: result.at, storedCharacters: 0, pending: '' }
  const isOver = dayOf(result.at) !== dayOf(firstAt) || result.at < firstAt || storedCharacters >= BLOCK_CHARACTERS
  if (isOver) {
    if (pending !== '') toStore.push({ firstAt, results: pending })
    firstAt = result.at
    storedCharacters = 0
    pending = ''
  }
  const results = pending === '' ? entryOf(result, firstAt) : `${pending},${entryOf(result, firstAt)}`
  if (results.length <= PENDING_CHARACTERS) return { log: { firstAt, storedCharacters, pending: results }, toStore }
  toStore.push({ firstAt, results })
  return { log: { firstAt, storedCharacters: storedCharacters + results.length, pending: '' }, toStore }
}

function entryOf({ at, state, responseMs }: StoredResult, firstAt: number): string {
  return `${at - firstAt}${letters[state]}${responseMs ?? ''}`
}

/** The results of a block, in the order in which they were added. */
export function resultsIn({ firstAt, results }: Block): StoredResult[] {
  if (results === '') return []
  return results.split(',').map((entry) => {
    const [, offset, letter, ms] = /^(\d+)([A-Z])(\d*)$/.exec(entry) ?? []
    const state = statesByLetter.get(letter ?? '')
    if (state === undefined) throw new Error(`A stored result cannot be read: ${entry.slice(0, 40)}`)
    return { at: firstAt + Number(offset), state, responseMs: ms === '' ? null : Number(ms) }
  })
}

export function pendingResults(log: ResultLog | null): StoredResult[] {
  return log === null ? [] : resultsIn({ firstAt: log.firstAt, results: log.pending })
}

export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}
