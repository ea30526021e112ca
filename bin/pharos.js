#!/usr/bin/env node
// Plain JavaScript that any Node from 20 on understands: it hands over to the Node this project is pinned to.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { arenas, lean } from './lean.js'

const NEEDED = 26
const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
const prober = fileURLToPath(new URL('../src/monitoring/probes/worker.ts', import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  const begins = process.argv[2] === 'start' && process.platform !== 'win32' && process.channel == null
  const missing = lean.filter((option) => !isGiven(option.split('=')[0]))
  if (begins && missing.length > 0) beginAnew(missing)

  const { enableCompileCache, flushCompileCache } = await import('node:module')
  const { directory } = enableCompileCache()
  const { runCommand } = await import(main)
  if (directory !== undefined && process.env.NODE_COMPILE_CACHE === undefined) {
    // The threads that probe look for it here.
    process.env.NODE_COMPILE_CACHE = directory
    if (begins && hasTranslated()) {
      // It has no thread to run in, but by then all of it is translated.
      await import(prober).catch(() => {})
      flushCompileCache()
      beginAnew([])
    }
  }
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

function isGiven(option) {
  return [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((text) => text.includes(option))
}

/**
 * What Node translates TypeScript with takes 20 MB of each thread for good. It is loaded when something is not in the cache
 * on disk: at the first start of a version.
 */
function hasTranslated() {
  return process.moduleLoadList?.some((name) => name.includes('amaro')) === true
}

/** The same process from its beginning: same number, same standard streams, nothing of what it held. */
function beginAnew(options) {
  const args = [process.execPath, ...options, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, args, { ...arenas, ...process.env })
}
