/**
 * Runs the tests: without arguments the short ones, with --long the long ones, with --faults those that inject faults, with
 * --packages those that install packages, or the files and patterns named. --long --part 2/5 runs the second fifth of the long ones.
 *   node scripts/test.ts 'test/monitoring/**\/*.test.ts' --test-name-pattern paused
 * A file *.long.test.ts belongs to the long run, a file *.faults.test.ts to the run with faults, a file *.packages.test.ts to the
 * run with packages, and a file *.isolated.test.ts needs a process of its own.
 */
import { accessSync, constants } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts'
import { enterPrivateNetwork, faultTable, openFaultReport } from './test/faults.ts'
import { findFiles, isFaults, isPackages, parsePart, type Run, saveTimes } from './test/files.ts'
import type { FileReport } from './test/messages.ts'
import { runFiles } from './test/shards.ts'
import { fileLine, summary } from './test/summary.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
    'test-skip-pattern': { type: 'string', multiple: true, default: [] },
    long: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    packages: { type: 'boolean', default: false },
    workers: { type: 'string' },
    part: { type: 'string', default: '1/1' },
  },
})

const run: Run = values.packages ? 'packages' : values.faults ? 'faults' : values.long ? 'long' : 'short'
/**
 * Tests often wait: for a retry, for a restart, for a browser. The three longest files with faults wait nearly all the time, for
 * checks that are due every 30 s, so all others run beside them.
 */
const moreWorkers = { short: 2, long: 3, faults: 3, packages: 1 }
const workers = Number(values.workers ?? availableParallelism() + moreWorkers[run])

/** More failed files than this are no matter of a busy machine. */
const MAX_REPEATED = 5

const say = (text: string): void => void process.stdout.write(text)
const startedAt = performance.now()
const part = parsePart(values.part)
if (part === undefined) {
  process.stderr.write(`--part must be a number of a part and the number of parts, such as 2/5, not ${values.part}\n`)
  process.exit(1)
}
const { files, unmatched } = findFiles(positionals, run, part)
if (unmatched !== undefined) {
  process.stderr.write(`No test file matches ${unmatched}\n`)
  process.exit(1)
}

const hasFaults = files.some(isFaults)
if (hasFaults) {
  enterPrivateNetwork()
  openFaultReport()
}
function runAll(some: readonly string[], workersAtOnce: number): Promise<void> {
  return runFiles(some, {
    workers: workersAtOnce,
    namePatterns: values['test-name-pattern'],
    skipPatterns: values['test-skip-pattern'],
    signal: stop.signal,
    // A single file is shown test by test, and so are packages, which print what they measure; many files by a line each.
    onText: files.length === 1 || run === 'packages' ? say : () => undefined,
    onFile: (report) => {
      reports.push(report)
      if (files.length > 1) say(fileLine(report, reports.length, files.length))
    },
  })
}

/** A folder in memory, where Linux has one. */
function memoryFolder(): string | undefined {
  try {
    accessSync('/dev/shm', constants.W_OK | constants.X_OK)
    return '/dev/shm'
  } catch {
    return undefined
  }
}

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
let reports: FileReport[] = []
/** Files that failed next to others and passed in the second run. */
let passedAlone: readonly string[] = []
// Databases of the short run are created and deleted thousands of times; those of crash and fault tests belong on a real disk.
if (run === 'short') process.env.TMPDIR ??= memoryFolder()
await globalSetup({ postgres: !files.every((file) => isFaults(file) || isPackages(file)) })
try {
  await runAll(files, workers)
  const failed = reports.filter(({ isSuccess }) => !isSuccess).map(({ file }) => file)
  if (failed.length > 0 && failed.length <= MAX_REPEATED && files.length > 1 && !stop.signal.aborted) {
    // Files that run side by side slow each other down, and some have deadlines. The summary names those that passed alone.
    say(`Running ${failed.length} of ${files.length} files again, one at a time.\n`)
    reports = reports.filter(({ isSuccess }) => isSuccess)
    await runAll(failed, 1)
    passedAlone = failed.filter((file) => reports.some((report) => report.file === file && report.isSuccess))
  }
} finally {
  await globalTeardown()
}
if (hasFaults) say(faultTable())
say(summary(reports, performance.now() - startedAt, passedAlone))
saveTimes(reports)
const ran = reports.reduce((sum, { counts }) => sum + counts.tests, 0)
if (ran === 0) say('No test ran.\n')
if (stop.signal.aborted) say('Interrupted.\n')
const isSuccess = ran > 0 && !stop.signal.aborted && reports.every((report) => report.isSuccess)
process.exitCode = isSuccess ? 0 : 1
