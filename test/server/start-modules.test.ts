import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

test("a start loads no fetch of Node's own, which an import of node:http would", () => {
  const script = `await import('./src/server/start.ts'); process.stdout.write(process.moduleLoadList.join('\\n'))`
  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  assert.match(loaded, /NativeModule http$/m)
  assert.doesNotMatch(loaded, /undici/)
})
