import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { buildFolder } from './build-folder.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'dashboard')
const dist = join(folder, 'dist')
/** Inputs of the build outside its own folder: the versions of its tools, and the colours of the status pages. */
const shared = ['package.json', 'src/publishing/public-site/styles/tokens.css']
/** Holds the fingerprint of the sources of the build. */
const FINGERPRINT_FILE = '.built-from'

/**
 * Builds the dashboard unless the existing build is up to date. An installation without the build tools uses the build that
 * it came with. Returns whether there is a dashboard to serve.
 */
export async function ensureDashboard(say: (text: string) => void): Promise<boolean> {
  const current = existsSync(join(folder, 'index.html')) ? fingerprint() : undefined
  if (current === undefined || current === builtFrom()) return true
  const vite = viteProgram()
  if (vite === undefined) {
    if (existsSync(join(dist, 'index.html'))) return true
    say('The dashboard is not built. To build it, run "npm ci && npm run build".\n')
    return false
  }
  const isBuilt = (): boolean => builtFrom() === current
  const buildDashboard = async (temporary: string): Promise<void> => {
    await build(vite, temporary)
    writeFileSync(join(temporary, FINGERPRINT_FILE), current)
    rmSync(dist, { recursive: true, force: true })
  }
  const otherwise = 'The server starts without the dashboard.'
  return buildFolder({ name: 'dashboard', folder: dist, isBuilt, build: buildDashboard, otherwise }, say)
}

function builtFrom(): string | undefined {
  try {
    return readFileSync(join(dist, FINGERPRINT_FILE), 'utf8')
  } catch {
    return undefined
  }
}

/** The sources, and the versions of what they are built with. */
function fingerprint(): string {
  const hash = createHash('sha256')
  const sources = globSync(['index.html', 'vite.config.ts', 'src/**/*.{ts,tsx,css,svg}'], { cwd: folder }).sort()
  for (const name of sources.filter((source) => !source.includes('generated'))) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0')
  }
  for (const name of shared) hash.update(readFileSync(join(root, name)))
  return hash.digest('hex')
}

function viteProgram(): string | undefined {
  try {
    return join(dirname(createRequire(join(root, 'package.json')).resolve('vite/package.json')), 'bin/vite.js')
  } catch {
    return undefined
  }
}

function build(vite: string, outDir: string): Promise<void> {
  const args = [vite, 'build', '--config', join(folder, 'vite.config.ts'), '--outDir', outDir, '--logLevel', 'error']
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(output.trim() || `vite exited with code ${code}`)),
    )
  })
}
