import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { listen } from '../../outbound/fixtures.ts'

test('without file descriptors every probe is inconclusive, and works again once there are some', async () => {
  await using server = await listen(createServer((_request, response) => response.end('ok')))
  const url = `http://127.0.0.1:${server.port}/`
  const script = join(import.meta.dirname, 'run-without-descriptors.ts')
  const starved = ['-c', 'ulimit -n 64 && exec "$0" "$@"', process.execPath, script, url]
  const { stdout } = await promisify(execFile)('sh', starved, { timeout: 30_000 })
  const { before, held, samples, after } = JSON.parse(stdout)
  assert.equal(before.outcome, 'success')
  assert.ok(held > 5, 'descriptors were held')
  for (const [type, sample] of Object.entries<{ outcome: string; reason: unknown }>(samples)) {
    assert.equal(sample.outcome, 'inconclusive', `${type}: ${JSON.stringify(sample)}`)
    assert.match(JSON.stringify(sample.reason), /EMFILE/)
  }
  assert.equal(after.outcome, 'success')
})
