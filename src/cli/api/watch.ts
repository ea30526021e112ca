import { setTimeout } from 'node:timers/promises'
import { PharosError } from '../../../clients/typescript/src/index.ts'
import { cleanJson } from '../../lib/json.ts'
import { fitted, type Report } from '../command.ts'

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
  /** Colours a text for the terminal. */
  readonly paint: (text: string) => string
  readonly screen: Screen
  /** Gets failures while JSON is printed. */
  readonly warn: (text: string) => void
  readonly signal: AbortSignal
}

/**
 * Shows a report again and again until the signal ends it. A terminal is redrawn in place. Elsewhere a report is printed when it
 * has changed, and as JSON one line for each item that is new, has changed or is gone.
 */
export async function watch(read: () => Promise<Report>, options: WatchOptions): Promise<void> {
  const { everySeconds, isJson, paint, screen, warn, signal } = options
  const isInPlace = screen.isTTY === true && !isJson
  const changedLines = lineForEachChange()
  let shown = ''
  let last: Report | undefined
  try {
    for (;;) {
      const { report, problem } = await readOr(read, last)
      if (isJson && problem !== '') warn(problem)
      const output = isInPlace ? page(report.text, problem, options) : `${report.text}\n${problem}`
      if (isJson) for (const line of changedLines(report.json)) screen.write(line)
      else if (isInPlace) screen.write(redrawn(paint(output)))
      else if (output !== shown) screen.write(`${output.trimEnd()}\n`)
      shown = output
      last = report
      await setTimeout(everySeconds * 1000, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Returns a function that compares a page of a list with the one before. */
function lineForEachChange(): (page: unknown) => string[] {
  let known: ReadonlyMap<string, string> = new Map()
  return (page) => {
    const { data } = page as { readonly data: readonly { readonly id: string }[] }
    const items = new Map(data.map((item) => [item.id, cleanJson(item, 0)]))
    const changed = [...items].filter(([id, json]) => known.get(id) !== json).map(([, json]) => json)
    const gone = [...known.keys()].filter((id) => !items.has(id))
    known = items
    return [...changed, ...gone.map((id) => JSON.stringify({ id, removed: true }))].map((line) => `${line}\n`)
  }
}

interface Reading {
  readonly report: Report
  /** Why the last report is shown again; empty if it is new. */
  readonly problem: string
}

/** A failure that may pass is shown below the last report. The first report must succeed. */
async function readOr(read: () => Promise<Report>, last: Report | undefined): Promise<Reading> {
  try {
    return { report: await read(), problem: '' }
  } catch (error) {
    const isPassing =
      error instanceof PharosError && (error.status === 0 || error.status >= 500 || error.status === 429)
    if (last === undefined || !isPassing) throw error
    return { report: last, problem: `${error.message}. Trying again.` }
  }
}

function page(report: string, problem: string, { title, everySeconds, screen }: WatchOptions): string {
  const time = new Date().toLocaleTimeString().replaceAll('\u202f', ' ')
  const lines = [`${title}, every ${everySeconds} s (${time}). Ctrl+C ends.`, '', ...report.split('\n')]
  const height = Math.max(4, (screen.rows ?? 24) - 1)
  const visible = problem === '' ? lines.slice(0, height) : [...lines.slice(0, height - 1), problem]
  return visible.map((line) => fittedLine(line, screen.columns)).join('\n')
}

/** A line cut at the width of the terminal, if it has one. */
export function fittedLine(line: string, columns: number | undefined): string {
  return columns === undefined || columns < 20 ? line : fitted(line, columns)
}

/** Overwrites line by line, so that the screen does not flicker. */
function redrawn(text: string): string {
  return `\u001b[H${text.replaceAll('\n', '\u001b[K\n')}\u001b[K\n\u001b[J`
}
