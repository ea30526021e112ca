import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { readKuma } from '../../../src/importers/kuma/read.ts'
import type { ImportResult, SourceFile } from '../../../src/importers/result.ts'
import { fixture, fixtureJson } from '../apply.ts'

export const versions = ['kuma-1.db.gz', 'kuma-2.db.gz'] as const
export type Version = (typeof versions)[number]

export const expected = fixtureJson('kuma/expected.json')

const databases = new Map<Version, Buffer>()

/** The bytes of the `kuma.db` of a fixture. */
export function databaseOf(version: Version): Buffer {
  const bytes = databases.get(version) ?? gunzipSync(fixture(`kuma/${version}`).bytes)
  databases.set(version, bytes)
  return bytes
}

export function read(bytes: Uint8Array): ImportResult {
  return readKuma([{ name: 'kuma.db', bytes }])
}

/** A file at a path, whose content must not be read as a whole. */
export function fileAt(path: string): SourceFile {
  return {
    name: 'kuma.db',
    path,
    get bytes(): Uint8Array {
      throw new Error('The file is too large for memory')
    },
  }
}

/** A folder with a `kuma.db` that statements have changed. */
export function changedDatabase(version: Version, statements = '') {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-kuma-'))
  const path = join(folder, 'kuma.db')
  writeFileSync(path, databaseOf(version))
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  database.exec(statements)
  database.close()
  return {
    path,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** What becomes of a Kuma after these statements. */
export function readChanged(version: Version, statements: string): ImportResult {
  using database = changedDatabase(version, statements)
  return readKuma([fileAt(database.path)])
}
