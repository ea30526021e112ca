/**
 * Runs npm scripts at the same time, prints the output of each when it has ended, and fails if one fails.
 *   node scripts/run-together.ts lint typecheck
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

async function run(name: string): Promise<boolean> {
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code] = await once(child, 'close')
  process.stdout.write(output)
  return code === 0
}

const passed = await Promise.all(process.argv.slice(2).map(run))
process.exitCode = passed.every(Boolean) ? 0 : 1
