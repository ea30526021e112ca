import { readFileSync } from 'node:fs'
import { type ImportResult, type SourceName, WrongFileError } from '../result.ts'
import { sources } from '../sources.ts'
import type { ReceivedFile } from './receive-files.ts'

export interface ReaderTask {
  readonly source: SourceName
  readonly files: readonly ReceivedFile[]
}

export type ReaderAnswer =
  | { readonly kind: 'read'; readonly result: ImportResult }
  /** The message is for people. */
  | { readonly kind: 'wrong file'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }

process.once('message', (task: ReaderTask) => {
  void read(task).then((answer) => process.send?.(answer, () => process.exit()))
})

async function read({ source, files }: ReaderTask): Promise<ReaderAnswer> {
  try {
    const reader = await sources[source]?.load()
    if (reader === undefined) return { kind: 'wrong file', message: 'Files of this tool cannot be imported.' }
    return { kind: 'read', result: reader(files.map(({ name, path }) => ({ name, path, bytes: readFileSync(path) }))) }
  } catch (error) {
    const { message } = error as Error
    return { kind: error instanceof WrongFileError ? 'wrong file' : 'failed', message }
  }
}
