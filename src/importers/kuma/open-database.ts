import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { NoSpaceError } from '../result.ts'

/** A copy of a `kuma.db`, open for reading. Closing it removes the copy. */
export interface KumaDatabase extends Disposable {
  readonly connection: DatabaseSync
  /** Whether the file is shorter than it says, so that some rows cannot be read. */
  readonly isTruncated: boolean
}

/** How often a database that Kuma is writing to is copied before the copy is used as it is. */
const MAX_COPIES = 5

/**
 * Opens a copy of the database and of the `-wal` beside it: SQLite writes to the folder of a database that it opens, and Kuma may be
 * running. Throws if it is not a SQLite database.
 */
export function openKumaDatabase(source: string | Uint8Array): KumaDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-import-'))
  try {
    const copy = join(folder, 'kuma.db')
    if (typeof source === 'string') copyDatabase(source, copy)
    else writeFileSync(copy, source, { mode: 0o600 })
    const isTruncated = fillMissingPages(copy)
    const connection = new DatabaseSync(copy, { readOnly: true, defensive: true, allowExtension: false })
    // A file from outside must not run functions through its views.
    connection.exec('PRAGMA trusted_schema = OFF')
    removeNames(connection, folder)
    return {
      connection,
      isTruncated,
      [Symbol.dispose]() {
        connection.close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    throw new NoSpaceError(`${tmpdir()} has no space for a copy of the file. Set TMPDIR to a folder that has`, {
      cause: error,
    })
  }
}

/** Removes the copy as soon as its files are open, so that a process that is killed does not leave gigabytes behind. */
function removeNames(connection: DatabaseSync, folder: string): void {
  try {
    connection.prepare('PRAGMA schema_version').get()
    rmSync(folder, { recursive: true })
  } catch {
    // A damaged file, or a system that keeps the names of open files: closing the database removes them.
  }
}

/** Copies again if the file changed meanwhile: pages of two moments do not fit together. */
function copyDatabase(source: string, copy: string): void {
  for (let copies = 1; ; copies++) {
    const before = statSync(source).mtimeMs
    copyFileSync(source, copy, constants.COPYFILE_FICLONE)
    if (existsSync(`${source}-wal`)) copyFileSync(`${source}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE)
    if (statSync(source).mtimeMs === before || copies === MAX_COPIES) return
  }
}

const HEADER_BYTES = 100

/** SQLite opens no file that lacks pages. With empty ones in their place it reads the rows of the others. */
function fillMissingPages(path: string): boolean {
  const header = Buffer.alloc(HEADER_BYTES)
  const file = openSync(path, 'r')
  try {
    readSync(file, header)
  } finally {
    closeSync(file)
  }
  if (!header.toString('latin1').startsWith('SQLite format 3\0')) throw new Error('It is not a SQLite database.')
  // 1 stands for 65,536, which 16 bits cannot hold.
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const bytes = pageSize * header.readUInt32BE(28)
  if (statSync(path).size >= bytes || existsSync(`${path}-wal`)) return false
  truncateSync(path, bytes)
  return true
}
