import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Source, sourceDateEpoch } from './reproducible.ts'

/** For `npm install -g ./pharos-….tgz`, without a registry. It brings its Node, whatever version runs npm. */
export function packNpm({ staged, version, arch, target }: Source): string {
  const file = join(target, `pharos-${version}-linux-${arch}.tgz`)
  writeArchive(file, '--transform=flags=r;s,^\\.,package,', '-C', staged, '.')
  return file
}

/** Unpack it and run `./pharos start`: needs neither npm nor Node. */
export function packTar({ staged, version, arch, target }: Source): string {
  const name = `pharos-${version}-linux-${arch}`
  const file = join(target, `${name}.tar.gz`)
  const extra = mkdtempSync(join(tmpdir(), 'pharos-tar-'))
  try {
    symlinkSync('bin/pharos', join(extra, 'pharos'))
    writeArchive(file, `--transform=flags=r;s,^\\.,${name},`, '-C', staged, '.', '-C', extra, './pharos')
  } finally {
    rmSync(extra, { recursive: true })
  }
  return file
}

/** Writes a tar.gz whose bytes depend on names and contents only. `args` are the files, as arguments of GNU tar. */
function writeArchive(file: string, ...args: readonly string[]): void {
  const fixed = ['--sort=name', '--format=gnu', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX']
  const time = [`--mtime=@${sourceDateEpoch()}`, '--hard-dereference']
  execFileSync('tar', ['-cf', file, '--use-compress-program=gzip -6n', ...fixed, ...time, ...args])
}
