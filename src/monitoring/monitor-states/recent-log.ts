/** One line of a monitor's check log. */
export interface RecentResult {
  readonly at: number
  readonly state: 'UP' | 'DEGRADED' | 'DOWN'
  readonly responseMs: number | null
  readonly error?: string
}

/**
 * The log is a text with a line per result, newest first. The database prepends a line and cuts off the end, so writing
 * does not read it. It holds about thirty successes, or a handful of failures.
 */
export const LOG_CHARACTERS = 600
const MAX_ERROR_CHARACTERS = 100
/** Line breaks would end the line, and PostgreSQL cannot store NUL. */
const controlCharacters = /\p{Cc}/gu

const letters = { UP: 'u', DEGRADED: 's', DOWN: 'd' } as const
const states = new Map(Object.entries(letters).map(([state, letter]) => [letter, state as RecentResult['state']]))

export function logLine({ at, state, responseMs, error }: RecentResult): string {
  const line = `${at.toString(36)}${letters[state]}${responseMs === null ? '' : responseMs.toString(36)}`
  return error === undefined
    ? `${line}\n`
    : `${line} ${error.slice(0, MAX_ERROR_CHARACTERS).replace(controlCharacters, ' ')}\n`
}

/** A last line that was cut off is left out. */
export function readLog(log: string): RecentResult[] {
  return log.split('\n').slice(0, -1).map(lineIn)
}

/** Base-36 timestamps in milliseconds have eight digits from 1972 to 2059. */
const DIGITS = 8

function lineIn(line: string): RecentResult {
  const space = line.indexOf(' ')
  const head = space === -1 ? line : line.slice(0, space)
  const ms = head.slice(DIGITS + 1)
  return {
    at: Number.parseInt(head.slice(0, DIGITS), 36),
    state: states.get(head.charAt(DIGITS) as never) ?? 'DOWN',
    responseMs: ms === '' ? null : Number.parseInt(ms, 36),
    ...(space !== -1 && { error: line.slice(space + 1) }),
  }
}
