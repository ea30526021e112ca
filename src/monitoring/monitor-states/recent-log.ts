/** One line of a monitor's check log. */
export interface RecentResult {
  readonly at: number
  readonly state: 'UP' | 'DEGRADED' | 'DOWN'
  readonly responseMs: number | null
}

/**
 * The log is a text with a line per result, newest first. It holds more than forty. The
 * newest lines are in the monitor's memory. Once they exceed NEW_LINES_CHARACTERS, the database prepends them to the
 * stored log and cuts off its end. So most checks do not rewrite the log, which is the largest part of the state row.
 */
export const LOG_CHARACTERS = 600
const NEW_LINES_CHARACTERS = 110

const letters = { UP: 'u', DEGRADED: 's', DOWN: 'd' } as const
const states = new Map(Object.entries(letters).map(([state, letter]) => [letter, state as RecentResult['state']]))

export function logLine({ at, state, responseMs }: RecentResult): string {
  return `${at.toString(36)}${letters[state]}${responseMs === null ? '' : responseMs.toString(36)}\n`
}

/** Adds a line to the new lines: they either stay in the memory, or are all to be prepended to the stored log. */
export function addLine(newLines: string, line: string): { readonly newLines: string; readonly toStore: string } {
  const lines = line + newLines
  return lines.length > NEW_LINES_CHARACTERS ? { newLines: '', toStore: lines } : { newLines: lines, toStore: '' }
}

/** A last line that was cut off is left out. Lines of earlier versions end with an error after a space. */
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
  }
}
