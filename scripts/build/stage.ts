import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleServer } from './bundle-server.ts'
import { type Arch, nodePackage } from './node-binary.ts'
import { MAN_PAGE, writeShare } from './share.ts'

const root = join(import.meta.dirname, '../..')

/** Starts the Node beside it, also through a link such as /usr/bin/pharos. */
const launcher = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/node" "$here/pharos.js" "$@"
`

/** Files that the sources read at run time, at the same path as in the repository. */
const ownFiles = [
  'openapi.json',
  'openapi-app.json',
  'src/**/*.{css,md,js,go,php,py}',
  'dashboard/dist/{index.html,assets/*}',
  // Help texts and messages name them.
  'docs/*.md',
]

/** A package whose code is shipped. */
interface ShippedPackage {
  readonly name: string
  readonly version: string
  /** The identifier of its licence. */
  readonly identifier: string
  readonly text: string
}

/** Writes an installation into a folder: Node, the server, the dashboard. Without an architecture, it has no Node. */
export async function stage(folder: string, arch: Arch | undefined): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const packages = (await bundleServer(join(folder, 'server'))).map(readPackage)
  for (const file of globSync(ownFiles, { cwd: root })) copy(file, join(folder, file))
  for (const file of ['pharos.js', 'memory-limits.js']) copy(join('bin', file), join(folder, 'bin', file))
  writeFileSync(join(folder, 'bin/pharos'), launcher, { mode: 0o755 })
  if (arch !== undefined) packages.push(stageNode(folder, arch))
  if (existsSync(join(root, 'LICENSE'))) copy('LICENSE', join(folder, 'LICENSE'))
  const ofDashboard: ShippedPackage[] = JSON.parse(readFileSync(join(root, 'dashboard/dist/licenses.json'), 'utf8'))
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.md'), noticesOf([...packages, ...ofDashboard]))
  const { name, version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  await writeShare(folder, version)
  const platform = arch === undefined ? {} : { os: ['linux'], cpu: [arch], libc: ['glibc'] }
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { pharos: 'bin/pharos' },
    man: [MAN_PAGE],
    ...platform,
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

function stageNode(folder: string, arch: Arch): ShippedPackage {
  const source = nodePackage(arch)
  cpSync(join(source, 'bin/node'), join(folder, 'bin/node'))
  return readPackage(source)
}

function readPackage(folder: string): ShippedPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = globSync('{LICENSE,LICENCE,License,license,COPYING,NOTICE}*', { cwd: folder }).sort()
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n')
  return { name, version, identifier: license ?? 'see below', text }
}

/** The licences of all packages. The heading of each names it for the bill of materials. */
function noticesOf(packages: readonly ShippedPackage[]): string {
  const byName = new Map(packages.map((each) => [`${each.name}@${each.version}`, each]))
  const sections = [...byName].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    'Pharos contains these packages.\n',
    ...sections.map(([id, { identifier, text }]) => `\n## ${id}\n\nLicence: ${identifier}\n\n${text}\n`),
  ].join('')
}

function copy(file: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true })
  cpSync(join(root, file), target)
}
