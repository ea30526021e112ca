import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

for (const [what, script] of [
  ['the types of the client match openapi.json', 'client-types.ts'],
  ["the client's README lists all methods", 'client-readme.ts'],
] as const) {
  test(what, () => {
    const args = [join(root, 'scripts', script), '--check']
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  })
}
