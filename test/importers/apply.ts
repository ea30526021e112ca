import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportResult, SourceFile } from '../../src/importers/result.ts'
import { withValues } from '../../src/importers/variables.ts'
import { actionsOf, apply, plan } from '../configuration/support.ts'
import type { Client } from '../support/server.ts'
import type { Anything } from './expected.ts'

export function fixture(path: string): SourceFile {
  const bytes = readFileSync(join(import.meta.dirname, 'fixtures', path))
  return { name: path.split('/').at(-1) ?? path, bytes }
}

/** All files of a tool whose names begin like this, in alphabetical order. */
export function fixturesOf(tool: string, prefix = ''): SourceFile[] {
  const names = readdirSync(join(import.meta.dirname, 'fixtures', tool)).sort()
  const given = names.filter((name) => name.startsWith(prefix) && name !== 'expected.json')
  return given.map((name) => fixture(`${tool}/${name}`))
}

/** A file with a text, or with the JSON of something else. */
export function fileWith(content: unknown, name = 'answer.json'): SourceFile {
  return { name, bytes: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)) }
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
