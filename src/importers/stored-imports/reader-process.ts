import { readFileSync } from 'node:fs'
import { type ImportResult, NoSpaceError, type SourceFile, type SourceName, WrongFileError } from '../result.ts'
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
    const known = sources[source]
    if (known === undefined) return { kind: 'wrong file', message: 'Files of this tool cannot be imported.' }
    return { kind: 'read', result: await known.read(files.map(openFile)) }
  } catch (error) {
    const { message } = error as Error
    if (error instanceof NoSpaceError) return { kind: 'wrong file', message: 'The disk of the server is too full.' }
    return { kind: error instanceof WrongFileError ? 'wrong file' : 'failed', message }
  }
}

/** Readers of databases use the path, so that a large file is not in memory. */
function openFile({ name, path }: ReceivedFile): SourceFile {
  return {
    name,
    path,
    get bytes() {
      return readFileSync(path)
    },
  }
}
