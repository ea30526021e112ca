/**
 * Runs the tests: all of them, or the files and patterns named as arguments.
 *   node scripts/test.ts test/monitors/*.test.ts --test-name-pattern 'paused'
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'

const root = join(import.meta.dirname, '..')

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'test-name-pattern': { type: 'string', multiple: true, default: [] },
    'test-skip-pattern': { type: 'string', multiple: true, default: [] },
  },
})

const patterns = positionals.length > 0 ? positionals : [relative('', join(root, 'test/**/*.test.ts'))]
const files = patterns.flatMap((pattern) => {
  const found = globSync(pattern).sort()
  // The runner itself calls a pattern that matches nothing a success.
  if (found.length === 0) throw new Error(`No test file matches ${pattern}`)
  return found
})

const args = [
  '--test',
  `--test-global-setup=${join(root, 'test/support/global-setup.ts')}`,
  // One more than there are cores: much of what tests do is waiting, for a retry, for a restart, for a browser.
  `--test-concurrency=${availableParallelism() + 1}`,
  // For one test; a file of many tests may take longer.
  `--test-timeout=${5 * 60 * 1000}`,
  '--test-reporter=spec',
  ...values['test-name-pattern'].map((pattern) => `--test-name-pattern=${pattern}`),
  ...values['test-skip-pattern'].map((pattern) => `--test-skip-pattern=${pattern}`),
  ...new Set(files),
]

// Every test file is a process of its own, and most of them load the whole server.
const env = { ...process.env, NODE_COMPILE_CACHE: join(root, '.cache/compile') }

if (process.platform === 'win32') {
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1
} else {
  // The runner takes this process over, so that signals reach it and its exit code is ours without anything between.
  process.execve?.(process.execPath, [process.execPath, ...args], env)
}
