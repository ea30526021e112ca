import type { Counts, FileReport } from './messages.ts'

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** One line for a file; what it reported follows if it failed. */
export function fileLine(
  { file, counts, isSuccess, wallMs, notes, text }: FileReport,
  number: number,
  of: number,
): string {
  const line = `${isSuccess ? '✔' : '✖'} [${number}/${of}] ${file} (${counts.tests} tests, ${seconds(wallMs)})\n`
  if (!isSuccess) return `${line}${text}`
  return `${line}${notes.map((note) => `  ℹ ${note}\n`).join('')}`
}

/**
 * The end of a run: what failed, what passed only when it was run again alone, the slowest files, and the counts in the form
 * that node:test prints.
 */
export function summary(
  reports: readonly FileReport[],
  durationMs: number,
  passedAlone: readonly string[] = [],
): string {
  const failures = reports.flatMap(({ file, failures, isSuccess }) =>
    isSuccess ? [] : failures.length > 0 ? failures.map((name) => `✖ ${file}: ${name}`) : [`✖ ${file}`],
  )
  const slowest = reports.toSorted((a, b) => b.wallMs - a.wallMs).slice(0, 10)
  const total = (key: keyof Counts): number => reports.reduce((sum, { counts }) => sum + counts[key], 0)
  // A file that failed without a failed test crashed, leaked or has no tests.
  const broken = reports.filter(({ isSuccess, counts }) => !isSuccess && counts.failed + counts.cancelled === 0).length
  return [
    ...(failures.length > 0 ? ['', 'Failed:', ...failures] : []),
    ...(passedAlone.length > 0
      ? ['', 'Failed at first, passed alone:', ...passedAlone.map((file) => `! ${file}`)]
      : []),
    '',
    `Took ${seconds(durationMs)}; the slowest files:`,
    ...slowest.map(({ file, wallMs, cpuMs }) => `  ${seconds(wallMs).padStart(8)}  ${file} (CPU ${seconds(cpuMs)})`),
    '',
    `ℹ tests ${total('tests')}`,
    `ℹ suites ${total('suites')}`,
    `ℹ pass ${total('passed')}`,
    `ℹ fail ${total('failed') + broken}`,
    `ℹ cancelled ${total('cancelled')}`,
    `ℹ skipped ${total('skipped')}`,
    `ℹ todo ${total('todo')}`,
    `ℹ duration_ms ${durationMs.toFixed(3)}`,
    '',
  ].join('\n')
}
