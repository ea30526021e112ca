/**
 * Runs the tests: all but the long ones, the long ones with --long, or the files and patterns named as arguments.
 *   node scripts/test.ts 'test/monitoring/**\/*.test.ts' --test-name-pattern 'paused'
 * A file *.long.test.ts is part of the long run; a file *.isolated.test.ts runs in a process of its own.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '../../test/support/global-setup.ts'
import { findFiles, needBrowser, saveTimes } from './files.ts'
import { type FileReport, runFiles } from './shards.ts'
import { fileLine, summary } from './summary.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
    'test-skip-pattern': { type: 'string', multiple: true, default: [] },
    long: { type: 'boolean', default: false },
    // One more than there are cores: much of what tests do is waiting, for a retry, for a restart, for a browser.
    workers: { type: 'string', default: `${availableParallelism() + 1}` },
  },
})

const startedAt = performance.now()
const files = findFiles(positionals, values.long ? 'long' : 'fast')
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const say = (text: string): void => void process.stdout.write(text)
const reports: FileReport[] = []
await globalSetup({ browser: needBrowser(files) })
try {
  await runFiles(files, {
    workers: Number(values.workers),
    namePatterns: values['test-name-pattern'],
    skipPatterns: values['test-skip-pattern'],
    signal: stop.signal,
    // A single file is shown test by test, many files by a line each.
    onText: files.length === 1 ? say : () => undefined,
    onFile: (report) => {
      reports.push(report)
      if (files.length > 1) say(fileLine(report, reports.length, files.length))
    },
  })
} finally {
  await globalTeardown()
}
say(summary(reports, performance.now() - startedAt))
saveTimes(
  Object.fromEntries(
    reports.filter(({ isSuccess }) => isSuccess).map(({ file, wallMs }) => [file, Math.round(wallMs)]),
  ),
)
const ran = reports.reduce((sum, { counts }) => sum + counts.tests, 0)
if (ran === 0) say('No test was run.\n')
if (stop.signal.aborted) say('Interrupted.\n')
const isSuccess = ran > 0 && !stop.signal.aborted && reports.every((report) => report.isSuccess)
process.exitCode = isSuccess ? 0 : 1
