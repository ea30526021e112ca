import { accessSync, chmodSync, constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Log } from '../lib/log.ts'
import { describeLoose, type LooseEntry, looseEntry } from '../lib/private-files.ts'
import { tolerate } from '../lib/tolerate.ts'
import { StorageUnusable } from '../storage/database.ts'
import { LOCK_FILE, SQLITE_FILE } from '../storage/sqlite/database.ts'
import { DEFAULT_DATA_DIR } from './config/config.ts'
import { SECRET_KEY_FILE } from './seal-keys.ts'

/** Everything that Pharos creates in the data folder. SQLite adds the files with suffixes. */
const ownFiles = [
  SECRET_KEY_FILE,
  ...[SQLITE_FILE, LOCK_FILE].flatMap((name) => ['', '-wal', '-shm', '-journal'].map((suffix) => name + suffix)),
]

const MAX_OTHER_FILES = 20

/** What other users can read or change: our files, the folder, and in a loose folder the other files, such as backups. */
export function looseDataFiles(dataDir: string): readonly LooseEntry[] {
  const folder = looseEntry(resolve(dataDir))
  const own = ownFiles.flatMap((name) => looseEntry(resolve(dataDir, name)) ?? [])
  return folder === undefined ? own : [folder, ...own, ...otherLooseFiles(dataDir)]
}

function otherLooseFiles(dataDir: string): readonly LooseEntry[] {
  let names: readonly string[] = []
  try {
    names = readdirSync(dataDir)
  } catch {
    // A folder that cannot be listed is reported when the database is opened.
  }
  return names
    .filter((name) => !ownFiles.includes(name))
    .flatMap((name) => looseEntry(resolve(dataDir, name)) ?? [])
    .slice(0, MAX_OTHER_FILES)
}

/**
 * Removes the permissions of other users from our files. Other files in the folder, the targets of links and files of other
 * owners stay as they are, and so does a folder that the operator chose: each is logged as a warning.
 */
export function tightenDataFolder(dataDir: string, log: Log): void {
  const isDefault = resolve(dataDir) === resolve(DEFAULT_DATA_DIR)
  const own = new Set(ownFiles.map((name) => resolve(join(dataDir, name))))
  for (const entry of looseDataFiles(dataDir)) {
    const isOurs = own.has(entry.path) || (isDefault && entry.path === resolve(dataDir))
    if (isOurs && entry.obstacle === null) tighten(entry, log)
    else log.warn(describeLoose(entry))
  }
}

/**
 * Why this process may not use the data folder, with what to do; undefined if it may, or if another error will say it. Creates
 * nothing.
 */
export function dataFolderObstacle(dataDir: string): string | undefined {
  const folder = resolve(dataDir)
  const uid = process.getuid?.()
  const missing = !existsSync(folder)
  const used = missing ? [nearestFolder(folder)] : [folder, ...ownFiles.map((name) => join(folder, name))]
  for (const path of used.filter((name) => existsSync(name))) {
    const stats = statSync(path)
    try {
      accessSync(path, constants.R_OK | constants.W_OK | (stats.isDirectory() ? constants.X_OK : 0))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EROFS') return `${path} is on a read-only file system; mount a volume at ${folder} that is writable`
      if (uid === undefined || (code !== 'EACCES' && code !== 'EPERM')) return undefined
      const create = missing ? `mkdir -p ${folder} && ` : ''
      const isOwner = stats.uid === uid && !missing
      const change = isOwner ? `chmod -R u+rwX ${folder}` : `${create}chown -R ${uid}:${process.getgid?.()} ${folder}`
      const other = isOwner ? '' : `, or start Pharos as user ${stats.uid}`
      const mode = (stats.mode & 0o777).toString(8)
      return `user ${uid} cannot write to ${path} (owner ${stats.uid}:${stats.gid}, mode ${mode}); run "${change}"${other}`
    }
  }
  return undefined
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path))
}

/** Stops with what to do if the folder cannot be used. */
export function requireDataFolder(dataDir: string): void {
  const obstacle = dataFolderObstacle(dataDir)
  if (obstacle !== undefined) throw new StorageUnusable(`PHAROS_DATA_DIR: ${obstacle}`)
}

/** Where uploaded files are while they are read. Deletes what a crash has left there. */
export function prepareUploadFolder(dataDir: string, log: Log): string {
  const folder = resolve(dataDir, 'uploads')
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    tolerate(log, 'deleting old uploads')(error)
  }
  return folder
}

function tighten(entry: LooseEntry, log: Log): void {
  try {
    chmodSync(entry.path, entry.mode & 0o700)
    log.info(`made ${entry.path} private: other users could access it (mode ${entry.mode.toString(8)})`)
  } catch (error) {
    tolerate(log, `making ${entry.path} private`)(error)
  }
}
