import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Source, sourceDateEpoch } from './reproducible.ts'

interface Component {
  readonly name: string
  readonly version: string
  readonly 'bom-ref': string
}

interface Dependency {
  readonly ref: string
  readonly dependsOn: readonly string[]
}

/** The bill of materials of npm, reduced to packages whose code is shipped: the dashboard bundles some of the dev dependencies. */
export function writeSbom({ staged, version, arch, target }: Source): string {
  const file = join(target, `pharos-${version}-linux-${arch}.cdx.json`)
  const notices = readFileSync(join(staged, 'THIRD-PARTY-NOTICES.md'), 'utf8')
  const shipped = new Set([...notices.matchAll(/^## (\S+)$/gm)].map(([, id]) => id))
  const output = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  const { serialNumber: _random, metadata, components, dependencies, ...bom } = JSON.parse(output)
  const kept = (components as Component[]).filter((each) => shipped.has(`${each.name}@${each.version}`))
  const missing = [...shipped].filter((id) => !kept.some((each) => `${each.name}@${each.version}` === id))
  if (missing.length > 0) throw new Error(`The bill of materials lacks ${missing.join(', ')}`)
  const refs = new Set([metadata.component['bom-ref'], ...kept.map((each) => each['bom-ref'])])
  const between = (dependencies as Dependency[])
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }))
  const timestamp = new Date(Number(sourceDateEpoch()) * 1000).toISOString()
  const reduced = { ...bom, metadata: { ...metadata, timestamp }, components: kept, dependencies: between }
  writeFileSync(file, `${JSON.stringify(reduced, null, 1)}\n`)
  return file
}
