import { DAY_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import { durationText } from '../lib/duration.ts'
import { once } from '../lib/once.ts'
import type { Config } from '../server/config/config.ts'
import type { Environment } from '../server/config/read-files.ts'
import type { Database } from '../storage/database.ts'
import type { DbWork } from '../storage/query.ts'
import { cleanLine } from './clean-text.ts'

/** Something the command cannot do. Printed as one line without a stack; the exit code is 1. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** A command line that is wrong. Printed as one line that ends with how to get help; the exit code is 2. */
export class UsageError extends Error {
  override name = 'UsageError'
  /** What was probably meant. */
  readonly suggestion: string | undefined
  /** The command or group whose help explains the usage; the caller knows it if this does not. */
  readonly helpTopic: string | undefined

  constructor(message: string, suggestion?: string, helpTopic?: string) {
    super(message)
    this.suggestion = suggestion
    this.helpTopic = helpTopic
  }
}

export interface Option {
  /** The letter after one dash. */
  readonly short?: string
  /** The placeholder of the value in the help; absent for a boolean option. */
  readonly value?: string
  readonly required?: boolean
  /** Required unless `--body` has the field. */
  readonly requiredInBody?: boolean
  readonly repeats?: boolean
  /** Whether `--no-NAME` is an option too. */
  readonly negatable?: boolean
  /** The values that shell completion offers. */
  readonly choices?: readonly string[]
  readonly help: string
}

export interface Arguments {
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, string | undefined>>
  /** The values of options that may be given several times. */
  readonly repeated: Readonly<Record<string, readonly string[] | undefined>>
  /** The names of options that were given as `--no-NAME`. */
  readonly negated: ReadonlySet<string>
}

/** Printed as text, or as JSON or YAML with --output. */
export interface Report {
  readonly text: string
  readonly json: unknown
  /** 0 by default. */
  readonly exitCode?: number
}

export interface Command {
  /** As typed: `keys create`. */
  readonly name: string
  readonly summary: string
  /** Names of the positional arguments, all required. */
  readonly positionals?: readonly string[]
  /** The last argument may be given several times. */
  readonly repeatsLast?: boolean
  /** The last argument is a command line with its own options, after `--`. */
  readonly isWrapper?: boolean
  /** The output has one form: --output and --json are no options. */
  readonly hasOwnOutput?: boolean
  readonly options?: Readonly<Record<string, Option>>
  /** Lines of the help below the options. */
  readonly notes?: () => readonly string[] | Promise<readonly string[]>
  /** Command lines. */
  readonly examples?: readonly string[]
  /** The end of the help: what the command reads from the environment. */
  readonly variables?: readonly string[]
}

export type DatabaseAction = (database: Database, args: Arguments, now: number, config: Config) => Promise<Report>

/** A command that works on the database; a server may be running. */
export interface DatabaseCommand extends Command {
  readonly onDatabase: () => Promise<DatabaseAction>
}

/** Undefined if the command has printed its own output. */
export type PlainAction = (config: Config, args: Arguments) => Promise<Report | undefined>

interface PlainCommand extends Command {
  readonly onServer: () => Promise<PlainAction>
}

/** A command that runs where the server runs. Its action is loaded when it runs: it may need all of the server. */
export type ServerCommand = DatabaseCommand | PlainCommand

/** A command that needs neither the database nor the settings of the server. */
export interface ClientCommand extends Command {
  /** The command is listed with its group in the overview. */
  readonly isGrouped?: boolean
  /** Undefined if the command has printed its own output. */
  call(environment: Environment, args: Arguments): Promise<Report | undefined>
}

/**
 * Aligned columns under headings. Cells are cleaned: a line break would look like another row. With a width, the widest columns
 * are cut so that all fit, and the last ones left out if that is not enough.
 */
export function table(headings: readonly string[], given: readonly (readonly string[])[], width?: number): string {
  const rows = given.map((row) => row.slice(0, headings.length).map(cleanLine))
  const natural = headings.map((heading, i) => {
    return rows.reduce((widest, row) => Math.max(widest, widthOf(row[i] ?? '')), heading.length)
  })
  const least = leastWidths(natural, headings)
  const gaps = 2 * (headings.length - 1)
  if (width !== undefined && headings.length > 2 && sumOf(least) + gaps > width) {
    return table(headings.slice(0, -1), given, width)
  }
  const widths = width === undefined ? natural : fittingWidths(natural, least, width - gaps)
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => fitted(cell, widths[i] ?? 0))
      .map((cell, i) => cell + ' '.repeat(Math.max(0, (widths[i] ?? 0) - widthOf(cell))))
      .join('  ')
      .trimEnd()
  return [headings, ...rows].map(line).join('\n')
}

const MIN_COLUMN = 8

/** Columns of ids stay whole: they are copied. */
function leastWidths(natural: readonly number[], headings: readonly string[]): readonly number[] {
  return natural.map((width, i) => {
    const heading = headings[i] ?? ''
    return /\bID$/.test(heading) ? width : Math.min(width, Math.max(MIN_COLUMN, heading.length))
  })
}

/** Narrows the widest column until all fit, or none can be narrower. */
function fittingWidths(natural: readonly number[], least: readonly number[], width: number): readonly number[] {
  const widths = [...natural]
  for (let rest = sumOf(widths) - width; rest > 0; rest -= 1) {
    const widest = Math.max(...widths.filter((each, i) => each > (least[i] ?? 0)))
    const at = widths.findLastIndex((each, i) => each === widest && each > (least[i] ?? 0))
    if (at === -1) break
    widths[at] = widest - 1
  }
  return widths
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, 0)
}

/** The beginning of a text that is wider. */
export function fitted(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let [start, width] = ['', 0]
  for (const character of text) {
    width += widthOf(character)
    if (width >= columns) break
    start += character
  }
  return `${start}…`
}

const wide =
  /\p{Emoji_Presentation}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]/u
const combining = /\p{Mark}|\u200d/u

/** The number of columns that a text takes in a terminal. */
function widthOf(text: string): number {
  // ASCII is almost every text.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  return Array.from(text).reduce((sum, character) => {
    return sum + (combining.test(character) ? 0 : wide.test(character) ? 2 : 1)
  }, 0)
}

const timeFormat = once(
  () =>
    new Intl.DateTimeFormat(undefined, {
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
    }),
)

/** For people: "Nov 16, 2026, 7:20 AM UTC", by locale and time zone of the system. */
export function displayTime(at: number | string): string {
  // Some locales use a narrow no-break space, which not every terminal can show.
  return timeFormat().format(new Date(at)).replaceAll('\u202f', ' ')
}

/** For people who look at it now: "5 min ago", "in 2 h". Times that are more than a week away are displayed as such. */
export function relativeTime(at: number | string, now = Date.now()): string {
  const ms = new Date(at).getTime() - now
  if (!(Math.abs(ms) < 7 * DAY_MS)) return displayTime(at)
  if (Math.abs(ms) < SECOND_MS) return 'now'
  // "in 2 h" a moment after two hours from now was asked for.
  const shownMs = ms > MINUTE_MS ? Math.round(ms / MINUTE_MS) * MINUTE_MS : Math.abs(ms)
  const [count, unit] = durationText(shownMs).split(' ')
  return ms < 0 ? `${count} ${unit} ago` : `in ${count} ${unit}`
}

const PAGE_SIZE = 500

/** Reads all rows, one page per query: `pageAfter` gets the last row of the page before. */
export async function readAll<Row>(
  database: Database,
  pageAfter: (last: Row | undefined, limit: number) => DbWork<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const page = await database.read(pageAfter(rows.at(-1), PAGE_SIZE))
    rows.push(...page)
    if (page.length < PAGE_SIZE) return rows
  }
}

/** The public address of the server, which a command does not need to be running. */
export function baseUrlOf({ baseUrl, port }: Config): string {
  return baseUrl ?? `http://localhost:${port}`
}
