/** The tools whose configuration can be imported. */
export const sourceNames = [
  'kuma',
  'gatus',
  'uptimerobot',
  'betterstack',
  'healthchecks',
  'statuscake',
  'statuspage',
] as const
export type SourceName = (typeof sourceNames)[number]

/** A file as it was given on the command line or uploaded. */
export interface SourceFile {
  readonly name: string
  /** The content. Read on access if there is a path. */
  readonly bytes: Uint8Array
  /** Where it is, for readers of files that do not fit into memory. */
  readonly path?: string
}

/** What became of an object of the other tool. */
export const outcomes = ['MAPPED', 'MAPPED_WITH_LOSSES', 'NOT_SUPPORTED', 'NOT_A_MONITOR'] as const
export type Outcome = (typeof outcomes)[number]

/** An object of the other tool. Every object is listed, so that nothing is dropped silently. */
export interface ImportedObject {
  /** What the other tool calls it, for example `monitor`, `notification` or `status page`. */
  readonly kind: string
  readonly sourceId: string
  readonly name: string
  readonly outcome: Outcome
  /** Where it is in the document, for example `monitors.shop`. */
  readonly key?: string
  /** With MAPPED_WITH_LOSSES: what the document cannot express, a sentence each. */
  readonly losses: readonly string[]
  /** With NOT_SUPPORTED and NOT_A_MONITOR. */
  readonly reason?: string
}

export interface ImportResult {
  /** A document of configuration as code. Its source is `import-` and the name of the tool. */
  readonly document: Readonly<Record<string, unknown>>
  readonly objects: readonly ImportedObject[]
  /** What of the files could not be read, a sentence each. */
  readonly unreadable: readonly string[]
  /** Environment variables of the other tool. The document has `${NAME}` where their values belong; all other texts are literal. */
  readonly variables?: readonly string[]
}

/** The files are not those of the tool. The message says what is wrong with which file. */
export class WrongFileError extends Error {
  override name = 'WrongFileError'
}

/** The disk is too full to read the files. The message says what to do. */
export class NoSpaceError extends Error {
  override name = 'NoSpaceError'
}

/** Reads the files of one tool. It does not write, and does not connect to anything. */
export type Reader = (files: readonly SourceFile[]) => ImportResult
