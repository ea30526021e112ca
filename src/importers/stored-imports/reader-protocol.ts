import type { Outcome, SourceName } from '../result.ts'
import type { ReceivedFile } from './receive-files.ts'
import type { ReportHead } from './report-lines.ts'

/** What the reader process gets on standard input. */
export interface ReaderTask {
  readonly source: SourceName
  readonly files: readonly ReceivedFile[]
}

/** What a line of its standard output is: the first character. Lines of the document and of objects are stored without being parsed. */
export const lineKinds = { document: 'D', objects: 'O', end: 'E' } as const

/** The last line. */
export type ReaderEnd =
  | { readonly kind: 'read'; readonly counts: Readonly<Record<Outcome, number>>; readonly report: ReportHead }
  /** The message is for people. */
  | { readonly kind: 'wrong file'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }
