/**
 * Runs many command lines in one process, because starting Node takes longer than most commands. Reads one JSON array of
 * arguments per line and prints one JSON result per line.
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
