/**
 * Runs many command lines in one process, for tests of what commands do rather than of how a process ends: Node takes
 * longer to start than any of them to run. Reads one JSON list of arguments per line, prints one JSON outcome per line.
 */
import { createInterface } from 'node:readline'
import { runCommand } from '../../src/cli/main.ts'

const answer = process.stdout.write.bind(process.stdout)

for await (const line of createInterface(process.stdin)) {
  const outcome = { code: 0, stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    process[name].write = (chunk: unknown): boolean => {
      outcome[name] += chunk
      return true
    }
  }
  process.exitCode = 0
  await runCommand(JSON.parse(line) as string[])
  outcome.code = Number(process.exitCode)
  process.exitCode = 0
  answer(`${JSON.stringify(outcome)}\n`)
}
