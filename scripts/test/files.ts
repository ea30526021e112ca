import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '../..')
const timesFile = join(root, '.cache/test-times.json')

/** Needs a process of its own: it changes what the whole process shares. */
export const isIsolated = (file: string): boolean => file.endsWith('.isolated.test.ts')
const isLong = (file: string): boolean => file.endsWith('.long.test.ts')

/** The files that the patterns match; without patterns all long ones, or all others. */
export function findFiles(patterns: readonly string[], suite: 'fast' | 'long'): string[] {
  if (patterns.length === 0) {
    const all = globSync(join(root, 'test/**/*.test.ts')).map((file) => relative('', file))
    return inOrder(all.filter((file) => isLong(file) === (suite === 'long')))
  }
  const found = patterns.flatMap((pattern) => {
    const files = globSync(pattern)
    if (files.length === 0) throw new Error(`No test file matches ${pattern}`)
    return files
  })
  return inOrder([...new Set(found)])
}

/** Whether a browser is worth starting for these files. */
export function needBrowser(files: readonly string[]): boolean {
  return files.some((file) => file.includes('test/dashboard/') || readFileSync(file, 'utf8').includes('/browser.ts'))
}

/** The slowest first, by the last run; then those that were never run, those with a browser first. */
function inOrder(files: readonly string[]): string[] {
  const times = readTimes()
  const weight = (file: string): number => times[file] ?? (file.includes('dashboard') ? 30_000 : 1_000)
  return files.toSorted((a, b) => weight(b) - weight(a) || (a < b ? -1 : 1))
}

function readTimes(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(timesFile, 'utf8'))
  } catch {
    return {} // The first run in this folder.
  }
}

/** Remembers how long each file took, for the order of the next run. */
export function saveTimes(times: Readonly<Record<string, number>>): void {
  mkdirSync(dirname(timesFile), { recursive: true })
  writeFileSync(timesFile, JSON.stringify({ ...readTimes(), ...times }, null, 1))
}
