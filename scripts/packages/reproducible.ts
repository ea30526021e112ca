import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** What a package is made from. */
export interface Source {
  /** The staged folder, dist/pharos. */
  readonly staged: string
  readonly version: string
  readonly arch: 'x64' | 'arm64'
  /** Where the package is written. */
  readonly target: string
}

/** The commit that packages are made from: SOURCE_REVISION, or the last one; undefined for sources without Git. */
export function sourceRevision(): string | undefined {
  if (process.env.SOURCE_REVISION) return process.env.SOURCE_REVISION
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/** The time of all files in packages: SOURCE_DATE_EPOCH, or that of the last commit. */
export function sourceDateEpoch(): string {
  return (
    process.env.SOURCE_DATE_EPOCH ??
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim()
  )
}
