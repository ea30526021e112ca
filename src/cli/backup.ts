import { existsSync, lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { createPrivateFile } from '../lib/private-files.ts'
import { SQLITE_FILE } from '../storage/sqlite/database.ts'
import { CommandError, type PlainAction } from './command.ts'

/** Copies page by page, so that a running server is not blocked. The copy is consistent. */
export const backupDatabase: PlainAction = async ({ databaseUrl, dataDir }, { positionals, options }) => {
  const [file] = positionals as [string]
  if (databaseUrl !== undefined) throw new CommandError('Cannot back up PostgreSQL with this command; use pg_dump')
  const source = join(dataDir, SQLITE_FILE)
  if (!existsSync(source))
    throw new CommandError(`No database at ${source}; set PHAROS_DATA_DIR to the data folder of the server`)
  const pages = await copy(source, file, options.json === undefined && process.stderr.isTTY)
  return {
    text: `Backed up ${source} to ${file}.\nAlso back up ${join(dataDir, 'secret.key')}: it is needed to decrypt the secrets in the backup.`,
    json: { source, file, pages },
  }
}

async function copy(source: string, file: string, showProgress: boolean): Promise<number> {
  const database = new DatabaseSync(source, { readOnly: true })
  const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }): void => {
    if (showProgress) process.stderr.write(`\r${Math.round((100 * (totalPages - remainingPages)) / totalPages)}%`)
  }
  let folder: string | undefined
  try {
    requireNothingAt(file)
    // SQLite follows symbolic links, so it writes where no other user can plant one. The copy holds password hashes and sealed
    // secrets: it is private before the first byte is written.
    folder = mkdtempSync(`${file}-`)
    const unfinished = join(folder, SQLITE_FILE)
    createPrivateFile(unfinished)
    const pages = await backup(database, unfinished, { rate: 2_000, progress })
    requireNothingAt(file)
    renameSync(unfinished, file)
    return pages
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`Cannot write ${file}: ${(error as Error).message}`)
  } finally {
    database.close()
    // An incomplete copy must not remain.
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}

/** A link counts even if it leads nowhere: somebody else may have put it there to get the copy, or to have a file overwritten. */
function requireNothingAt(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return
  const what = found.isSymbolicLink() ? 'is a symbolic link, which backups do not follow' : 'already exists'
  throw new CommandError(`${file} ${what}; choose another file name`)
}
