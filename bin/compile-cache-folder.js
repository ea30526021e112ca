import { lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Node runs the compiled code that it finds in its cache. Its default folder below /tmp has a name that another user of the machine
 * could create first. This one is used only if it belongs to this user and nobody else can write to it.
 */
export function compileCacheFolder(parent = tmpdir()) {
  const uid = process.getuid?.()
  const folder = join(parent, uid === undefined ? 'pharos-compile-cache' : `pharos-compile-cache-${uid}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const stats = lstatSync(folder)
    const isOurs = uid === undefined || (stats.uid === uid && (stats.mode & 0o077) === 0)
    return stats.isDirectory() && isOurs ? folder : undefined
  } catch {
    return undefined
  }
}
