#!/usr/bin/env node
// Plain JavaScript that any Node from 20 on understands: it hands over to the Node this project is pinned to.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const NEEDED = 26
const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  await import('node:module').then(({ enableCompileCache }) => enableCompileCache())
  const { runCommand } = await import(main)
  await runCommand(process.argv.slice(2))
} else {
  const executable = process.platform === 'win32' ? 'node.cmd' : 'node'
  const pinned = fileURLToPath(new URL(`../node_modules/.bin/${executable}`, import.meta.url))
  if (!existsSync(pinned)) {
    process.stderr.write(
      `Pharos needs Node ${NEEDED} or newer; this is ${process.version}. Run "npm ci" to install the pinned one.\n`,
    )
    process.exit(1)
  }
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)))
}
