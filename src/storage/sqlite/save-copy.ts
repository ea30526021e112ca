import { globSync, rmSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type SavedCopy, StorageUnusable } from '../database.ts'
import { copyDatabase } from './copy-database.ts'

const COPIES_KEPT = 2
/** For the log of the migration itself. */
const RESERVE_BYTES = 16 * 1024 * 1024
const MEGABYTE = 1024 * 1024

/** Saves a copy of the database in its folder, such as `pharos-schema-1-2027-01-31T12-00-00Z.db`. */
export async function saveCopy(
  file: string,
  schema: number,
  now: number,
  report: (text: string) => void,
): Promise<SavedCopy> {
  const folder = dirname(file)
  const name = basename(file, '.db')
  const time = new Date(now).toISOString().replace(/\.\d+/, '').replaceAll(':', '-')
  const copy = join(folder, `${name}-schema-${schema}-${time}.db`)
  requireSpace(file, folder)
  report(`saving a copy of the database before the upgrade: ${copy}`)
  try {
    await copyDatabase(file, copy, () => undefined)
  } catch (error) {
    throw new StorageUnusable(
      `Cannot save a copy of the database before the upgrade, nothing was changed: ${copy}: ${(error as Error).message}`,
      { cause: error },
    )
  }
  return {
    remove: () => rmSync(copy, { force: true }),
    removeOlder() {
      const copies = globSync(`${name}-schema-*-*Z.db`, { cwd: folder })
      for (const old of copies.toSorted(byTime).slice(0, -COPIES_KEPT)) {
        rmSync(join(folder, old), { force: true })
        report(`deleted an old copy of the database: ${join(folder, old)} (the newest ${COPIES_KEPT} are kept)`)
      }
    },
  }
}

function requireSpace(file: string, folder: string): void {
  const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const neededBytes = statSync(file).size + logBytes + RESERVE_BYTES
  const { bavail, bsize } = statfsSync(folder)
  const freeBytes = bavail * bsize
  if (freeBytes >= neededBytes) return
  const [needed, free] = [Math.ceil(neededBytes / MEGABYTE), Math.floor(freeBytes / MEGABYTE)]
  throw new StorageUnusable(
    `Not enough disk space to save a copy of the database before the upgrade: ${needed} MB are needed in ${folder}, ${free} MB are free; free some space and start again. Nothing was changed`,
  )
}

/** By the time at the end of the name, which sorts as text. */
function byTime(a: string, b: string): number {
  const [timeOfA, timeOfB] = [a, b].map((name) => name.replace(/^.*-schema-\d+-/, ''))
  return (timeOfA ?? '').localeCompare(timeOfB ?? '', 'en')
}
