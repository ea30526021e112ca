import type { Config } from '../server/config/config.ts'
import type { Database } from '../storage/database.ts'

/** A mistake in how a command was called, or something it cannot do: one sentence, no stack. */
export class CommandError extends Error {
  override name = 'CommandError'
}

export interface Option {
  /** What stands for the value in the help; none for a switch. */
  readonly value?: string
  readonly required?: boolean
  /** May be given several times. */
  readonly repeats?: boolean
  readonly help: string
}

export interface Arguments {
  readonly positionals: readonly string[]
  readonly options: Readonly<Record<string, string | undefined>>
  /** Of options that may be given several times. */
  readonly repeated: Readonly<Record<string, readonly string[] | undefined>>
}

/** What a command prints: for people, and with --json for programs. */
export interface Report {
  readonly text: string
  readonly json: unknown
  /** Other than 0 where what was asked for is not so (doctor). */
  readonly exitCode?: number
}

export interface Command {
  /** As it is typed: `keys create`. */
  readonly name: string
  readonly summary: string
  /** Names of the positional arguments, all required. */
  readonly positionals?: readonly string[]
  readonly options?: Readonly<Record<string, Option>>
  /** What the help says below the options. */
  readonly notes?: () => string
}

/** A command that works on the database, beside a running server. */
export interface DatabaseCommand extends Command {
  run(database: Database, args: Arguments, now: number, config: Config): Promise<Report>
}

export interface PlainCommand extends Command {
  /** Without a report the command has printed for itself. */
  start(config: Config, args: Arguments): Promise<Report | undefined>
}

/** Rows under headings, in columns as wide as they need to be. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return [headings, ...rows].map(line).join('\n')
}

export function moment(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
