/**
 * Builds dist/pharos and from it all packages, their bill of materials and checksums into dist/packages.
 *   npm run packages [-- --arch x64]
 * The same sources give the same bytes.
 */
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packNpm, packTar } from './packages/archives.ts'
import { packDeb } from './packages/deb.ts'
import { packImage } from './packages/image.ts'
import type { Source } from './packages/reproducible.ts'
import { writeSbom } from './packages/sbom.ts'

const { values } = parseArgs({ options: { arch: { type: 'string', default: process.arch } } })
const arch = values.arch as Source['arch']
const root = join(import.meta.dirname, '..')
execFileSync(process.execPath, [join(root, 'scripts/build.ts'), '--arch', arch], { stdio: 'inherit' })

const staged = join(root, 'dist', arch === process.arch ? 'pharos' : `pharos-${arch}`)
const { version } = JSON.parse(readFileSync(join(staged, 'package.json'), 'utf8'))
const target = join(root, 'dist/packages')
mkdirSync(target, { recursive: true })
for (const pack of [packNpm, packTar, packDeb, packImage, writeSbom]) {
  const file = pack({ staged, version, arch, target })
  process.stdout.write(`${(statSync(file).size / 1e6).toFixed(1).padStart(6)} MB  ${file.slice(root.length + 1)}\n`)
}

const sums = join(target, 'SHA256SUMS')
rmSync(sums, { force: true })
const lines = readdirSync(target)
  .sort()
  .map((name) => `${hash('sha256', readFileSync(join(target, name)))}  ${name}\n`)
writeFileSync(sums, lines.join(''))
