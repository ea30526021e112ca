/**
 * Runs many command lines in one process, because starting Node takes longer than most commands. Reads one JSON object per
 * line, with arguments and environment variables for this command alone, and prints one JSON result per line.
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
  const { args, env } = JSON.parse(line) as { args: string[]; env: Record<string, string> }
  const before = { ...process.env }
  Object.assign(process.env, env)
  process.exitCode = 0
  await runCommand(args)
  outcome.code = Number(process.exitCode)
  process.exitCode = 0
  for (const name of Object.keys(env)) {
    if (before[name] === undefined) delete process.env[name]
    else process.env[name] = before[name]
  }
  answer(`${JSON.stringify(outcome)}\n`)
}
