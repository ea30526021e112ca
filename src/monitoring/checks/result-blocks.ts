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
export const letters = { UP: 'U', DEGRADED: 'G', DOWN: 'D' } as const

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

/** The results of a block, oldest first. */
export function resultsIn({ first_at: first, results }: Pick<Block, 'first_at' | 'results'>): StoredResult[] {
  const found: StoredResult[] = []
  const end = readEntries(results, 0, first, found)
  if (end < results.length) throw unreadable(results, end)
  return found
}

/**
 * The results of blocks that a query has joined into one text, `FIRST_AT:RESULTS;FIRST_AT:RESULTS`, block by block. A day has up
 * to 288 blocks: as rows they would take longer to fetch than to decode.
 */
export function resultsInBlocks(blocks: string): StoredResult[] {
  const found: StoredResult[] = []
  for (let at = 0; at <= blocks.length; at += 1) {
    const colon = blocks.indexOf(':', at)
    const first = colon === -1 ? Number.NaN : Number(blocks.slice(at, colon))
    if (Number.isNaN(first)) throw unreadable(blocks, at)
    at = readEntries(blocks, colon + 1, first, found)
    if (at < blocks.length && blocks.charCodeAt(at) !== SEMICOLON) throw unreadable(blocks, at)
  }
  return found
}

const [COMMA, SEMICOLON, ZERO, NINE] = [44, 59, 48, 57]
const statesByCharacter: Readonly<Record<number, RawState>> = Object.fromEntries(
  Object.entries(letters).map(([state, letter]) => [letter.charCodeAt(0), state as RawState]),
)

/** Reads the entries of a block that begin at a position, and returns where they end. A regular expression takes eight times as long. */
function readEntries(text: string, from: number, first: number, into: StoredResult[]): number {
  for (let i = from; ; i += 1) {
    const start = i
    let code = text.charCodeAt(i)
    let offset = 0
    for (; code >= ZERO && code <= NINE; code = text.charCodeAt(i)) {
      offset = offset * 10 + code - ZERO
      i += 1
    }
    const state = statesByCharacter[code]
    if (i === start || state === undefined) throw unreadable(text, start)
    i += 1
    const afterLetter = i
    let ms = 0
    for (code = text.charCodeAt(i); code >= ZERO && code <= NINE; code = text.charCodeAt(i)) {
      ms = ms * 10 + code - ZERO
      i += 1
    }
    into.push({ at: first + offset, state, responseMs: i === afterLetter ? null : ms })
    if (code !== COMMA) return i
  }
}

function unreadable(text: string, at: number): Error {
  return new Error(`A stored result cannot be read: ${text.slice(at, at + 40)}`)
}
