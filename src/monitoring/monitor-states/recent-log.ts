/** One line of a monitor's check log. */
export interface RecentResult {
  readonly at: number
  readonly state: 'UP' | 'DEGRADED' | 'DOWN'
  readonly responseMs: number | null
  /** Why it failed, in words. */
  readonly error?: string
}

/**
 * The log is a text with a line for each result, newest first. A check puts its line before the others and the database
 * cuts the end off, so nobody reads the log to write it. It holds some thirty successes, or a handful of failures.
 */
export const LOG_CHARACTERS = 600
const LONGEST_ERROR = 100
/** A line break would end the line, and PostgreSQL stores no NUL. */
const control = /\p{Cc}/gu

const letters = { UP: 'u', DEGRADED: 's', DOWN: 'd' } as const
const states = new Map(Object.entries(letters).map(([state, letter]) => [letter, state as RecentResult['state']]))

export function logLine({ at, state, responseMs, error }: RecentResult): string {
  const line = `${at.toString(36)}${letters[state]}${responseMs === null ? '' : responseMs.toString(36)}`
  return error === undefined ? `${line}\n` : `${line} ${error.slice(0, LONGEST_ERROR).replace(control, ' ')}\n`
}

/** The results in a log; of a last line that was cut off nothing. */
export function readLog(log: string): RecentResult[] {
  return log.split('\n').slice(0, -1).map(lineIn)
}

/** Eight digits are enough until the year 2059, and so many are needed since 1972. */
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
