#!/usr/bin/env node
// Plain JavaScript for Node 20 or newer: starts the Node version that this project is pinned to. The same file is in a checkout and
// in a package, where everything is built and Node is beside it.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { mallocEnvironment, memoryLimits } from './memory-limits.js'

const REQUIRED_NODE = 26
const args = process.argv.slice(2)
const isCheckout = existsSync(path('../src/cli/main.ts'))

if (Number(process.versions.node.split('.')[0]) >= REQUIRED_NODE) {
  const isStart = args[0] === 'start' && !args.some((word) => word === '--help' || word === '-h')
  const missing = memoryLimits.filter((option) => !isGiven(option.split('=')[0]))
  if (isStart && missing.length > 0 && process.platform !== 'win32' && process.channel == null) restart(missing)
  const program = !isCheckout ? '../server/main.mjs' : isStart ? await builtProgram() : '../src/cli/main.ts'
  const { runCommand } = await import(new URL(program, import.meta.url).href)
  await runCommand(args)
} else {
  const executable = process.platform === 'win32' ? 'node.cmd' : 'node'
  const pinned = [path('./node'), path(`../node_modules/.bin/${executable}`)].find((file) => existsSync(file))
  if (pinned === undefined) {
    process.stderr.write(
      `Pharos needs Node ${REQUIRED_NODE} or newer; this is ${process.version}. Run "npm ci" to install the pinned one.\n`,
    )
    process.exit(1)
  }
  const { spawn } = await import('node:child_process')
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...args], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)))
}

function path(relative) {
  return fileURLToPath(new URL(relative, import.meta.url))
}

function isGiven(option) {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) => text.includes(option))
}

/** Replaces the process image: the process id and standard streams stay. */
function restart(options) {
  const command = [process.execPath, ...options, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, command, { ...mallocEnvironment, ...process.env })
}

/** In a checkout `start` runs what a package contains, built again after a change; with --watch it runs the sources. */
async function builtProgram() {
  const { spawnSync } = await import('node:child_process')
  const watch = args.indexOf('--watch')
  if (watch !== -1) {
    args.splice(watch, 1)
    const sources = ['--watch', path('../scripts/run-sources.ts')]
    process.exit(
      spawnSync(process.execPath, [...process.execArgv, ...sources, ...args], { stdio: 'inherit' }).status ?? 1,
    )
  }
  const { isFresh } = await import('../scripts/build/freshness.ts')
  if (!isFresh('server') || !isFresh('dashboard')) {
    // In a process of its own: the build tools need 100 MB.
    const build = [path('../scripts/build.ts'), '--if-changed']
    if (spawnSync(process.execPath, build, { stdio: ['ignore', 'inherit', 'inherit'] }).status !== 0) process.exit(1)
  }
  return '../dist/pharos/server/main.mjs'
}
