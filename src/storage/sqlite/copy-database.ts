import { mkdtempSync, renameSync, rmSync } from 'node:fs'
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
  const database = new DatabaseSync(source, { readOnly: true })
  let folder: string | undefined
  try {
    checkTarget()
    // SQLite follows symbolic links, so it writes where no other user can plant one. The copy holds password hashes and sealed
    // secrets: it is private before the first byte is written.
    folder = mkdtempSync(`${file}-`)
    const unfinished = join(folder, 'unfinished.db')
    createPrivateFile(unfinished)
    const pages = await backup(database, unfinished, {
      rate: 2_000,
      progress: ({ totalPages, remainingPages }) => progress((totalPages - remainingPages) / totalPages),
    })
    checkTarget()
    renameSync(unfinished, file)
    return pages
  } finally {
    database.close()
    // An incomplete copy must not remain.
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
}
