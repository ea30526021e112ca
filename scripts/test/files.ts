import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { FileReport } from './messages.ts'

const root = join(import.meta.dirname, '../..')
const timesFile = join(root, '.cache/test-times.json')

/** Needs a process of its own: it changes what the whole process shares. */
export const isIsolated = (file: string): boolean => file.endsWith('.isolated.test.ts')

/** Injects faults into a network and databases of its own. */
export const isFaults = (file: string): boolean => file.endsWith('.faults.test.ts')

/** Installs a package. */
export const isPackages = (file: string): boolean => file.endsWith('.packages.test.ts')

export type Run = 'short' | 'long' | 'faults' | 'packages'

function runOf(file: string): Run {
  if (isPackages(file)) return 'packages'
  return isFaults(file) ? 'faults' : file.endsWith('.long.test.ts') ? 'long' : 'short'
}

/** One of several parts of a run. */
export interface Part {
  readonly number: number
  readonly of: number
}

/** Reads `2/5`; undefined if it is not a part. */
export function parsePart(text: string): Part | undefined {
  const [, number, of] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number)
  return number !== undefined && of !== undefined && number >= 1 && number <= of ? { number, of } : undefined
}

/** The files that the patterns match, or all files of a run or of a part of it. `unmatched` is a pattern that matches nothing. */
export function findFiles(
  patterns: readonly string[],
  run: Run,
  part: Part = { number: 1, of: 1 },
): { readonly files: readonly string[]; readonly unmatched?: string | undefined } {
  if (patterns.length > 0) {
    const found = patterns.map((pattern) => globSync(pattern))
    const unmatched = patterns.find((_, i) => found[i]?.length === 0)
    return { files: inOrder([...new Set(found.flat())]), unmatched }
  }
  const all = globSync('test/**/*.test.ts', { cwd: root })
  const files = partOf(
    all.filter((file) => runOf(file) === run),
    part,
  )
  return { files: inOrder(files.map((file) => relative('', join(root, file)))) }
}

/** Files of these names take longest; a file that was never run is ordered by its name. */
const slowNames = [
  /crash|(clocks|host-loss|stopped-node)\.faults/,
  /simulation/,
  /dashboard\/|fuzz|browser|reference\/|nodes\.long/,
]

/** Deals the files in turn, those with slow names first: the same parts on every machine, and about as long as each other. */
export function partOf(files: readonly string[], { number, of }: Part): string[] {
  return inOrder(files, {}).filter((_, i) => i % of === number - 1)
}

/** The slowest first, by the last run. */
function inOrder(files: readonly string[], times = readTimes()): string[] {
  const expectedMs = (file: string): number => {
    const rank = slowNames.findIndex((name) => name.test(file))
    return times[file] ?? (rank === -1 ? 1_000 : 120_000 / (rank + 1))
  }
  return files.toSorted((a, b) => expectedMs(b) - expectedMs(a) || (a < b ? -1 : 1))
}

function readTimes(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(timesFile, 'utf8'))
  } catch {
    return {} // The first run in this folder.
  }
}

/** Records how long each file took, for the order of the next run. */
export function saveTimes(reports: readonly FileReport[]): void {
  const times = Object.fromEntries(reports.map(({ file, wallMs }) => [file, Math.round(wallMs)]))
  mkdirSync(dirname(timesFile), { recursive: true })
  writeFileSync(timesFile, JSON.stringify({ ...readTimes(), ...times }, null, 1))
}
