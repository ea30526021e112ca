import { join } from 'node:path'
import { type Source, writeArchive } from './reproducible.ts'

/** For `npm install -g ./pharos-….tgz`, without a registry. It brings its Node, whatever version runs npm. */
export function packNpm({ staged, version, arch, target }: Source): string {
  const file = join(target, `pharos-${version}-linux-${arch}.tgz`)
  writeArchive(file, '--transform=flags=r;s,^\\.,package,', '-C', staged, '.')
  return file
}
