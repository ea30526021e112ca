import { closeSync, lstatSync, mkdirSync, openSync, type Stats, statSync, writeFileSync } from 'node:fs'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** Creates an empty file that only its owner can read, unless it exists. The mode is set from the start: no moment is loose. */
export function createPrivateFile(path: string): void {
  try {
    // `wx` never opens an existing file. Closing a second descriptor of an open SQLite database would drop its locks.
    closeSync(openSync(path, 'wx', FILE_MODE))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Writes a new file and waits for the disk; fails if it exists. */
export function writePrivateFile(path: string, content: string): void {
  writeFileSync(path, content, { flag: 'wx', mode: FILE_MODE, flush: true })
}

/** Creates a folder and its parents where they are missing. Existing folders keep their mode. */
export function createPrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE })
}

/** A file or folder that other users of the machine can read or change. */
export interface LooseEntry {
  readonly path: string
  readonly mode: number
  readonly isFolder: boolean
  /** Null if this process may correct the mode. */
  readonly obstacle: 'owned by another user' | 'symbolic link' | 'several hard links' | null
}

type Inspected = Pick<Stats, 'mode' | 'uid' | 'nlink' | 'isDirectory'>

/** Decides about one entry. `isLink`: the path is a symbolic link, and `stats` are those of its target. */
export function judgeMode(path: string, stats: Inspected, isLink: boolean, uid: number): LooseEntry | undefined {
  const mode = stats.mode & 0o777
  if ((mode & 0o077) === 0) return undefined
  const isFolder = stats.isDirectory()
  const entry = { path, mode, isFolder }
  if (isLink) return { ...entry, obstacle: 'symbolic link' }
  if (stats.uid !== uid) return { ...entry, obstacle: 'owned by another user' }
  // The other name may be a copy that the operator shares on purpose.
  if (!isFolder && stats.nlink > 1) return { ...entry, obstacle: 'several hard links' }
  return { ...entry, obstacle: null }
}

/** Undefined if the entry is private, does not exist, or the system has no modes (Windows). */
export function looseEntry(path: string): LooseEntry | undefined {
  const uid = process.getuid?.()
  if (uid === undefined) return undefined
  try {
    const isLink = lstatSync(path).isSymbolicLink()
    return judgeMode(path, statSync(path), isLink, uid)
  } catch {
    return undefined
  }
}

/** "… can be read by other users (mode 644): run "chmod 600 …"" */
export function describeLoose({ path, mode, isFolder, obstacle }: LooseEntry): string {
  const verb = (mode & 0o022) === 0 ? 'read' : 'changed'
  const why = obstacle === null ? '' : `, ${obstacle}`
  const change = `chmod ${(isFolder ? FOLDER_MODE : FILE_MODE).toString(8)} ${path}`
  const who = obstacle === 'owned by another user' ? `let its owner run "${change}"` : `run "${change}"`
  return `${path} can be ${verb} by other users (mode ${mode.toString(8)}${why}): ${who}`
}
