#!/usr/bin/env node
// Plain JavaScript for Node 20 or newer: starts the Node version that this project is pinned to.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compileCacheFolder } from './compile-cache-folder.js'
import { mallocEnvironment, memoryLimits } from './memory-limits.js'

const REQUIRED_NODE = 26
const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
const serverModules = ['../src/cli/run-server-command.ts', '../src/cli/start.ts'].map(
  (path) => new URL(path, import.meta.url),
)
const probeWorker = fileURLToPath(new URL('../src/monitoring/probes/worker.ts', import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= REQUIRED_NODE) {
  const isStart = process.argv[2] === 'start' && !process.argv.some((word) => word === '--help' || word === '-h')
  const startsServer = isStart && process.platform !== 'win32' && process.channel == null
  const missing = memoryLimits.filter((option) => !isGiven(option.split('=')[0]))
  if (startsServer && missing.length > 0) restart(missing)

  const { enableCompileCache, flushCompileCache } = await import('node:module')
  const folder = process.env.NODE_COMPILE_CACHE ?? compileCacheFolder()
  const directory = folder === undefined ? undefined : enableCompileCache(folder).directory
  const { runCommand } = await import(main)
  // Loads what main.ts loads later, so that the check below sees whether it was compiled.
  if (startsServer) await Promise.all(serverModules.map((module) => import(module)))
  if (directory !== undefined && process.env.NODE_COMPILE_CACHE === undefined) {
    // Probe workers read the cache directory from here.
    process.env.NODE_COMPILE_CACHE = directory
    if (startsServer && hasCompiledTypeScript()) {
      // Fails outside a worker thread, but only after all of its modules are compiled.
      await import(probeWorker).catch(() => {})
      flushCompileCache()
      restart([])
    }
  }
  await runCommand(process.argv.slice(2))
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

/**
 * Whether Node has loaded its TypeScript compiler, which keeps 20 MB per thread. It does so when a module is missing in the
 * compile cache on disk: at the first start of a version.
 */
function hasCompiledTypeScript() {
  return process.moduleLoadList?.some((name) => name.includes('amaro')) === true
}

/** Replaces the process image: the process id and standard streams stay, its memory is released. */
function restart(options) {
  const args = [process.execPath, ...options, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, args, { ...mallocEnvironment, ...process.env })
}
