import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

test('the types of the client match openapi.json', () => {
  const args = [join(root, 'scripts/client-types.ts'), '--check']
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})
