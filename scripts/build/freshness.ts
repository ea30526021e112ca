import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** What each part is built from, and a file of its build with the time at which the build began. */
const parts = {
  server: {
    inputs: [
      'src',
      'clients/typescript/src',
      'bin',
      'docs',
      'scripts/build',
      'openapi.json',
      'openapi-app.json',
      'package-lock.json',
      'dashboard/dist/index.html',
    ],
    output: 'dist/pharos/package.json',
  },
  dashboard: {
    inputs: [
      'dashboard/src',
      'dashboard/index.html',
      'dashboard/vite.config.ts',
      'src/lib/markdown.ts',
      'src/lib/selector.ts',
      'src/publishing/public-site/styles/tokens.css',
      'package-lock.json',
    ],
    output: 'dashboard/dist/index.html',
  },
} as const

type Part = keyof typeof parts

/** Whether a part was built after the last change of its sources. Removing a source means changing one that used it. */
export function isFresh(part: Part): boolean {
  const { inputs, output } = parts[part]
  const builtAt = changedAt(join(root, output))
  return inputs.flatMap(filesOf).every((file) => changedAt(file) < builtAt)
}

function filesOf(name: string): string[] {
  const path = join(root, name)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path]
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  // Types that are generated from the OpenAPI documents are written again before every type check.
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('generated'))
  return files.map((entry) => join(entry.parentPath, entry.name))
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
