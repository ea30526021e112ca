#!/usr/bin/env node
// Plain JavaScript for Node 20 or newer: starts the Node version that this project is pinned to.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { compileCacheFolder } from './compile-cache-folder.js'
import { mallocEnvironment, memoryLimits } from './memory-limits.js'
import { buildServer, currentBuild } from './server-build.js'

const REQUIRED_NODE = 26
const sources = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= REQUIRED_NODE) {
  const isStart = process.argv[2] === 'start' && !process.argv.some((word) => word === '--help' || word === '-h')
  const missing = memoryLimits.filter((option) => !isGiven(option.split('=')[0]))
  if (isStart && missing.length > 0 && process.platform !== 'win32' && process.channel == null) restart(missing)

  const { enableCompileCache, flushCompileCache } = await import('node:module')
  const folder = process.env.NODE_COMPILE_CACHE ?? compileCacheFolder()
  const directory = folder === undefined ? undefined : enableCompileCache(folder).directory
  // Threads read the directory of the cache from here.
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE = directory
  const program = currentBuild() ?? (isStart ? buildServer() : undefined) ?? sources
  const { runCommand } = await import(pathToFileURL(program))
  await runCommand(process.argv.slice(2))
  // Node writes the cache when a process exits, but a server may be killed.
  flushCompileCache()
} else {
  const executable = process.platform === 'win32' ? 'node.cmd' : 'node'
  const pinned = fileURLToPath(new URL(`../node_modules/.bin/${executable}`, import.meta.url))
  if (!existsSync(pinned)) {
    process.stderr.write(
      `Pharos needs Node ${REQUIRED_NODE} or newer; this is ${process.version}. Run "npm ci" to install the pinned one.\n`,
    )
    process.exit(1)
  }
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)))
}

function isGiven(option) {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) => text.includes(option))
}

/** Replaces the process image: the process id and standard streams stay. */
function restart(options) {
  const args = [process.execPath, ...options, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, args, { ...mallocEnvironment, ...process.env })
}
