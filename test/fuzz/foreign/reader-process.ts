/** Reads files of other tools, one message after the other, and answers each with what it was. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WrongFileError } from '../../../src/importers/result.ts'
import { sources } from '../../../src/importers/sources.ts'
import type { DumpCase } from './dumps.ts'

export interface ReaderAnswer {
  /** Of an error that no reader should throw. */
  readonly fault: string | undefined
  readonly jsonChars: number
}

process.on('message', (dump: DumpCase) => {
  void read(dump).then((answer) => process.send?.(answer))
})

async function read({ source, files }: DumpCase): Promise<ReaderAnswer> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-fuzz-'))
  try {
    const given = files.map(({ name, content }) => {
      const [path, bytes] = [join(folder, name), Buffer.from(content, 'latin1')]
      writeFileSync(path, bytes)
      return { name, path, bytes }
    })
    return { fault: undefined, jsonChars: JSON.stringify(await sources[source].read(given)).length }
  } catch (error) {
    return { fault: error instanceof WrongFileError ? undefined : `${(error as Error).stack}`, jsonChars: 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
