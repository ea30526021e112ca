import { execFileSync } from 'node:child_process'
import { utimesSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Builds the dashboard into dashboard/dist, where a server that runs from its sources finds it. */
export function buildDashboard(): void {
  const startedAt = new Date()
  const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js')
  // In a process of its own: Vite leaves threads and memory behind.
  const args = [vite, 'build', '--config', join(root, 'dashboard/vite.config.ts'), '--logLevel', 'error']
  execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  // A source that was changed during the build is not in it.
  utimesSync(join(root, 'dashboard/dist/index.html'), startedAt, startedAt)
}
