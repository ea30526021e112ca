import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { createPrivateFile } from '../lib/private-files.ts'
import { SQLITE_FILE } from '../storage/sqlite/database.ts'
import { CommandError, type PlainCommand } from './command.ts'

/** Copies page by page, so that a running server is not blocked. The copy is consistent. */
export const backupDatabase: PlainCommand = {
  name: 'backup',
  summary: 'Copy the SQLite database to a file; the server may be running',
  positionals: ['FILE'],
  async start({ databaseUrl, dataDir }, { positionals, options }) {
    const [file] = positionals as [string]
    if (databaseUrl !== undefined) throw new CommandError('The database is PostgreSQL: back it up with pg_dump')
    const source = join(dataDir, SQLITE_FILE)
    if (!existsSync(source)) throw new CommandError(`There is no database at ${source}; set PHAROS_DATA_DIR`)
    if (existsSync(file)) throw new CommandError(`${file} exists already; name a new file`)
    const pages = await copy(source, file, options.json === undefined && process.stderr.isTTY)
    return {
      text: `Copied ${source} to ${file}. Keep ${join(dataDir, 'secret.key')} with it: without that key the secrets in the copy cannot be decrypted.`,
      json: { source, file, pages },
    }
  },
}

async function copy(source: string, file: string, showProgress: boolean): Promise<number> {
  const database = new DatabaseSync(source, { readOnly: true })
  const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }): void => {
    if (showProgress) process.stderr.write(`\r${Math.round((100 * (totalPages - remainingPages)) / totalPages)} %`)
  }
  try {
    // The copy holds password hashes and sealed secrets: it is private before the first byte is written.
    createPrivateFile(file)
    return await backup(database, file, { rate: 2_000, progress })
  } catch (error) {
    // An incomplete copy must not remain.
    rmSync(file, { force: true })
    throw new CommandError(`${file} cannot be written (${(error as Error).message})`)
  } finally {
    database.close()
  }
}
