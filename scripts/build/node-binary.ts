import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { platforms } from '../verify-node/platforms.js'

const root = join(import.meta.dirname, '../..')

export type Arch = 'x64' | 'arm64'

export function archNamed(name: string): Arch {
  if (name !== 'x64' && name !== 'arm64') throw new Error('--arch must be x64 or arm64')
  return name
}

function packageOf(arch: string): string {
  return join(root, 'node_modules', platforms[`linux-${arch}`]?.package ?? 'none')
}

/** Whether npm has installed the Node of an architecture. */
export function isInstalled(arch: string): boolean {
  return existsSync(packageOf(arch))
}

/** The folder of the npm package with the pinned Node for Linux: the installed one, or a download that the lock file verifies. */
export function nodePackage(arch: Arch): string {
  const installed = packageOf(arch)
  if (existsSync(installed)) return installed
  const name = basename(installed)
  const { version, integrity } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[
    `node_modules/${name}`
  ]
  const folder = join(root, 'dist', `${name}-${version}`)
  if (existsSync(join(folder, 'package/bin/node'))) return join(folder, 'package')
  mkdirSync(folder, { recursive: true })
  const packed = execFileSync('npm', ['pack', `${name}@${version}`, '--json', '--pack-destination', folder], {
    cwd: root,
  })
  const archive = join(folder, JSON.parse(packed.toString())[0].filename)
  const sum = hash('sha512', readFileSync(archive), 'base64')
  if (integrity !== `sha512-${sum}`) throw new Error(`${archive} does not have the checksum in package-lock.json`)
  execFileSync('tar', ['-xzf', archive, '-C', folder, 'package/bin/node', 'package/LICENSE', 'package/package.json'])
  return join(folder, 'package')
}
