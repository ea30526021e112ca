/**
 * Builds dist/pharos: the pinned Node, the server, the dashboard and nothing else. Packages contain this folder.
 *   node scripts/build.ts                builds everything and prints the sizes
 *   node scripts/build.ts --arch x64     for Linux on another architecture, into dist/pharos-x64
 *   node scripts/build.ts --if-changed   builds only what has changed, as `npm start` does
 */
import { readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { buildDashboard } from './build/dashboard.ts'
import { isFresh } from './build/freshness.ts'
import { type Arch, archNamed, isInstalled } from './build/node-binary.ts'
import { stage } from './build/stage.ts'

const { values } = parseArgs({
  options: { arch: { type: 'string', default: process.arch }, 'if-changed': { type: 'boolean', default: false } },
})

const root = join(import.meta.dirname, '..')
const isOwn = values.arch === process.arch
const target = join(root, isOwn ? 'dist/pharos' : `dist/pharos-${values.arch}`)
const ifChanged = values['if-changed']
const say = (text: string): void => void process.stdout.write(text)

if (!ifChanged || !isFresh('dashboard')) {
  say('Building the dashboard …\n')
  buildDashboard()
}
if (!ifChanged || !isFresh('server')) {
  say('Building the server …\n')
  // A checkout that brings its own Node starts without the pinned one.
  await buildServer(ifChanged && !isInstalled(values.arch) ? undefined : archNamed(values.arch))
}
if (!ifChanged) printSizes()

async function buildServer(arch: Arch | undefined): Promise<void> {
  const startedAt = new Date()
  const temporary = `${target}.${process.pid}`
  try {
    await stage(temporary, arch)
    // A source that was changed during the build is not in it.
    utimesSync(join(temporary, 'package.json'), startedAt, startedAt)
    // Another process may have built it meanwhile, and run it.
    if (ifChanged && isFresh('server')) return
    rmSync(target, { recursive: true, force: true })
    renameSync(temporary, target)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

function printSizes(): void {
  const sizes = new Map<string, number>()
  for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const part = relative(target, path) === 'bin/node' ? 'bin/node' : (relative(target, path).split('/')[0] as string)
    sizes.set(part, (sizes.get(part) ?? 0) + statSync(path).size)
  }
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const lines = [...sizes].sort(([, a], [, b]) => b - a).map(([part, size]) => `${megabytes(size)}  ${part}\n`)
  say(`${lines.join('')}${megabytes(total)}  ${relative(root, target)}\n`)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1).padStart(6)} MB`
}
