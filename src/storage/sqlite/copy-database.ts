import { mkdtempDisposableSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { createPrivateFile } from '../../lib/private-files.ts'

/**
 * Copies a database page by page, while it may be in use, and returns the number of pages. The copy is consistent, and complete
 * from the moment at which it exists. `checkTarget` runs before the start and before the end.
 */
export async function copyDatabase(
  source: string,
  file: string,
  checkTarget: () => void,
  progress: (done: number) => void = () => undefined,
): Promise<number> {
  using database = new DatabaseSync(source, { readOnly: true })
  checkTarget()
  // SQLite follows symbolic links, so it writes where no other user can plant one. The copy holds password hashes and sealed
  // secrets: it is private before the first byte is written. An incomplete copy does not remain.
  using folder = mkdtempDisposableSync(`${file}-`)
  const unfinished = join(folder.path, 'unfinished.db')
  createPrivateFile(unfinished)
  const pages = await backup(database, unfinished, {
    rate: 2_000,
    progress: ({ totalPages, remainingPages }) => progress((totalPages - remainingPages) / totalPages),
  })
  checkTarget()
  renameSync(unfinished, file)
  return pages
}
