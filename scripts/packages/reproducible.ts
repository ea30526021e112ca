import { execFileSync } from 'node:child_process'
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

/** The time of all files in packages: SOURCE_DATE_EPOCH, or that of the last commit. */
export function sourceDateEpoch(): string {
  return (
    process.env.SOURCE_DATE_EPOCH ??
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim()
  )
}

/** Writes a tar.gz whose bytes depend on names and contents only. `args` are the files, as arguments of GNU tar. */
export function writeArchive(file: string, ...args: readonly string[]): void {
  const fixed = ['--sort=name', '--format=gnu', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX']
  const time = [`--mtime=@${sourceDateEpoch()}`, '--hard-dereference']
  execFileSync('tar', ['-cf', file, '--use-compress-program=gzip -6n', ...fixed, ...time, ...args])
}
