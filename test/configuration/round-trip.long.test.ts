import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfiguration } from '../../src/cli/configuration/read-files.ts'
import { kindNames } from '../../src/configuration/kinds/kind.ts'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
import { generateOrganization, type Sent } from './generate-organization.ts'
import { actionsOf, apply, plan } from './support.ts'

type Values = Record<string, unknown>

/** The values of the variables in an exported resource, taken from what was sent. */
function bind(exported: unknown, sent: unknown, environment: Record<string, string>): void {
  if (typeof exported === 'string') {
    const names = [...exported.matchAll(/\$\$\{|\$\{(\w+)\}/g)].flatMap(([, name]) => name ?? [])
    if (names.length === 0) return
    const parts = exported.split(/(?<!\$)\$\{\w+\}/).map((part) => RegExp.escape(part.replaceAll('$${', '${')))
    const values = new RegExp(`^${parts.join('(.*)')}$`, 's').exec(String(sent)) ?? assert.fail(`${exported} ${sent}`)
    for (const [i, name] of names.entries()) environment[name] = values[i + 1] as string
  } else if (typeof exported === 'object' && exported !== null) {
    for (const [name, value] of Object.entries(exported)) bind(value, (sent as Values | undefined)?.[name], environment)
  }
}

function environmentOf(exported: Readonly<Record<string, Record<string, Values>>>, sent: Sent): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const kind of kindNames) {
    for (const { id, ...entry } of Object.values(exported[kind] ?? {})) bind(entry, sent.get(String(id)), environment)
  }
  return environment
}

forEachEngine('an organization with all kinds and options', (engine) => {
  const api = useApi(engine)
  /** Slugs of status pages are unique on an installation. */
  const other = useApi(engine)

  for (const seed of [1, 2, 3, 4]) {
    test(`is exported, applied to an empty organization and exported again byte for byte (seed ${seed})`, async () => {
      const [{ client }, { client: empty }] = [await api.tenant(), await other.tenant()]
      const sent = await generateOrganization(client, seed)
      const environment = environmentOf((await client.get('/configuration?ids=true')).body, sent)
      assert.ok(Object.keys(environment).length > 20)
      const text = JSON.stringify((await client.get('/configuration')).body)
      const yaml = (await client.get('/configuration', { accept: 'application/yaml' })).body
      const folder = mkdtempSync(join(tmpdir(), 'pharos-round-trip-'))
      try {
        const file = join(folder, 'pharos.yaml')
        writeFileSync(file, yaml)
        const { document } = readConfiguration([file], environment)
        assert.equal((await apply(empty, document)).summary.create, sent.size)
        assert.equal(JSON.stringify((await empty.get('/configuration')).body), text)
        assert.equal((await empty.get('/configuration', { accept: 'application/yaml' })).body, yaml)
        const again = await plan(empty, document)
        assert.deepEqual(actionsOf(again.changes), [])
        assert.equal(again.summary.none, sent.size)
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  }
})
