import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Source, writeArchive } from './reproducible.ts'

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
