import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportResult, SourceFile } from '../../src/importers/result.ts'
import { withValues } from '../../src/importers/variables.ts'
import { actionsOf, apply, plan } from '../configuration/support.ts'
import type { Client } from '../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Anything = any

export function fixture(path: string): SourceFile {
  const bytes = readFileSync(join(import.meta.dirname, 'fixtures', path))
  return { name: path.split('/').at(-1) ?? path, bytes }
}

export function fixtureJson(path: string): Anything {
  return JSON.parse(Buffer.from(fixture(path).bytes).toString())
}

/** Applies the document of an import. A second plan has no changes, and every contact is disabled. */
export async function applyImport(
  client: Client,
  result: ImportResult,
  values: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { document, variables = [] } = result
  assert.deepEqual(Object.keys(values).sort(), [...variables].sort(), 'the variables of the document')
  const whole = JSON.parse(JSON.stringify(withValues(document, values)))
  const { summary } = await apply(client, whole)
  const names = ['monitors', 'contacts', 'statusPages', 'maintenanceWindows']
  const count = names.reduce((sum, kind) => sum + Object.keys(whole[kind] ?? {}).length, 0)
  assert.equal(summary.create, count)
  assert.deepEqual(actionsOf((await plan(client, whole)).changes), [])
  const { body } = await client.get('/contacts?limit=100')
  for (const { name, enabled } of body.data) assert.equal(enabled, false, `${name} is disabled`)
}
