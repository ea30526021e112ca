import { setTimeout } from 'node:timers/promises'
import { PharosError } from '../../../clients/typescript/src/index.ts'
import type { Report } from '../command.ts'

interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

export interface WatchOptions {
  readonly title: string
  readonly everySeconds: number
  readonly isJson: boolean
  readonly screen: Screen
  readonly signal: AbortSignal
}

/**
 * Shows a report again and again until the signal ends it. A terminal is redrawn in place. Elsewhere a report is printed when it
 * has changed, as JSON on one line.
 */
export async function watch(read: (signal: AbortSignal) => Promise<Report>, options: WatchOptions): Promise<void> {
  const { everySeconds, isJson, screen, signal } = options
  const isInPlace = screen.isTTY === true && !isJson
  let shown = ''
  let last = ''
  try {
    for (;;) {
      const { text, problem } = await readOr(read, last, signal)
      last = text.report
      const output = isJson ? text.json : isInPlace ? page(text.report, problem, options) : `${last}\n${problem}`
      if (isInPlace || output !== shown) screen.write(isInPlace ? redrawn(output) : `${output.trimEnd()}\n`)
      shown = output
      await setTimeout(everySeconds * 1000, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

interface Reading {
  readonly text: { readonly report: string; readonly json: string }
  /** Why the last report is shown again; empty if it is new. */
  readonly problem: string
}

/** A failure that may pass is shown below the last report. The first report must succeed. */
async function readOr(
  read: (signal: AbortSignal) => Promise<Report>,
  last: string,
  signal: AbortSignal,
): Promise<Reading> {
  try {
    const { text, json } = await read(signal)
    return { text: { report: text, json: JSON.stringify(json) }, problem: '' }
  } catch (error) {
    const isPassing =
      error instanceof PharosError && (error.status === 0 || error.status >= 500 || error.status === 429)
    if (last === '' || !isPassing) throw error
    return { text: { report: last, json: '' }, problem: `${error.message}. Trying again.` }
  }
}

function page(report: string, problem: string, { title, everySeconds, screen }: WatchOptions): string {
  const time = new Date().toLocaleTimeString().replaceAll('\u202f', ' ')
  const lines = [`${title}, every ${everySeconds} s (${time}). Ctrl+C ends.`, '', ...report.split('\n')]
  const height = Math.max(4, (screen.rows ?? 24) - 1)
  const visible = problem === '' ? lines.slice(0, height) : [...lines.slice(0, height - 1), problem]
  return visible.map((line) => fitted(line, screen.columns)).join('\n')
}

/** The beginning of a line that is wider than the terminal. */
export function fitted(line: string, columns: number | undefined): string {
  if (columns === undefined || columns < 20 || line.length <= columns) return line
  return `${Array.from(line)
    .slice(0, columns - 1)
    .join('')}…`
}

/** Overwrites line by line, so that the screen does not flicker. */
function redrawn(text: string): string {
  return `\u001b[H${text.replaceAll('\n', '\u001b[K\n')}\u001b[K\n\u001b[J`
}
