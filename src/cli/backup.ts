import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { copyDatabase } from '../storage/sqlite/copy-database.ts'
import { CommandError, type PlainAction } from './command.ts'
import { requireDatabaseFile } from './require-database.ts'

/** A running server is not blocked. */
export const backupDatabase: PlainAction = async ({ databaseUrl, dataDir }, { positionals, options }) => {
  const [file] = positionals as [string]
  if (databaseUrl !== undefined) throw new CommandError('Cannot back up PostgreSQL with this command; use pg_dump')
  const source = requireDatabaseFile(dataDir)
  const pages = await copy(source, file, options.json === undefined && process.stderr.isTTY)
  return {
    text: `Backed up ${source} to ${file}.\nAlso back up ${join(dataDir, 'secret.key')}: it is needed to decrypt the secrets in the backup.`,
    json: { source, file, pages },
  }
}

async function copy(source: string, file: string, showProgress: boolean): Promise<number> {
  const progress = (done: number): void => {
    if (showProgress) process.stderr.write(`\r${Math.round(100 * done)}%`)
  }
  try {
    return await copyDatabase(source, file, () => requireNothingAt(file), progress)
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`Cannot write ${file}: ${(error as Error).message}`)
  }
}

/** A link counts even if it leads nowhere: somebody else may have put it there to get the copy, or to have a file overwritten. */
function requireNothingAt(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return
  const what = found.isSymbolicLink() ? 'is a symbolic link, which backups do not follow' : 'already exists'
  throw new CommandError(`${file} ${what}; choose another file name`)
}
