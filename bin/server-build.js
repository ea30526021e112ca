import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * A build is the program in about 80 files instead of 1,500 modules (docs/decisions/0023-server-build.md). Its folder in dist/ is
 * named by the hash of its sources: a build of other sources is never run, and a running server keeps its files while another
 * version is built.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const script = 'scripts/build-server.ts'
export const buildsFolder = join(root, 'dist')
export const ENTRY = 'main.mjs'

/** The program built from the present sources; undefined if they are not built. */
export function currentBuild() {
  const entry = join(buildsFolder, buildName(), ENTRY)
  return existsSync(entry) ? entry : undefined
}

/** Changes with every source file, with the version of every package and with the way of building. */
export function buildName() {
  const files = [...sourceFiles(), 'package-lock.json', script]
  const contents = files.flatMap((file) => [Buffer.from(`\0${file}\0`), readFileSync(join(root, file))])
  return createHash('sha256').update(Buffer.concat(contents)).digest('hex').slice(0, 16)
}

/** Everything that a build can contain, except for packages. */
export function sourceFiles() {
  return ['src', 'clients/typescript/src'].flatMap((folder) => {
    const names = readdirSync(join(root, folder), { recursive: true }).filter((name) => name.endsWith('.ts'))
    return names.sort().map((name) => join(folder, name))
  })
}

/** Builds the present sources. Returns undefined without the build tools, or if the build fails. */
export function buildServer() {
  try {
    createRequire(import.meta.url).resolve('rolldown')
  } catch {
    return undefined
  }
  // In a process of its own: the compiler of TypeScript and the build tool need 100 MB.
  spawnSync(process.execPath, [join(root, script)], { stdio: ['ignore', 'inherit', 'inherit'] })
  return currentBuild()
}
