import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package whose code is shipped. */
export interface ShippedPackage {
  readonly name: string
  readonly version: string
  /** The identifier of its licence. */
  readonly identifier: string
  readonly text: string
}

export function readPackage(folder: string): ShippedPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = globSync('{LICENSE,LICENCE,License,license,COPYING,NOTICE}*', { cwd: folder }).sort()
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n')
  return { name, version, identifier: license ?? 'see below', text }
}

/** The licences of all packages. The heading of each names it for the bill of materials. */
export function noticesOf(packages: readonly ShippedPackage[]): string {
  const byName = new Map(packages.map((each) => [`${each.name}@${each.version}`, each]))
  const sections = [...byName].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    'Pharos contains these packages.\n',
    ...sections.map(([id, { identifier, text }]) => `\n## ${id}\n\nLicence: ${identifier}\n\n${text}\n`),
  ].join('')
}
