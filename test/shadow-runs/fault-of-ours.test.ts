import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { createGuard } from '../../src/outbound/guard.ts'
import { startPoller } from '../../src/shadow-runs/poller.ts'
import { startApi } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { bareInstallation } from '../support/installation.ts'

test('a fault of Pharos while it asks the other tool ends the run, and is logged', async () => {
  const key = Buffer.alloc(32, 7)
  const api = await startApi('sqlite', { env: { PHAROS_SECRET_KEY: key.toString('base64') } })
  await using _ = api.server
  const { client } = await api.tenant()
  let asked = 0
  const guard = createGuard({
    policy: 'allow',
    resolver: async () => {
      asked += 1
      throw new RangeError('an error that nobody expected')
    },
  })
  const lines: string[] = []
  const poller = startPoller({
    database: api.server.running.database,
    sealer: createSealer([key]),
    guard,
    foreign: bareInstallation(api.server.url).foreign,
    clock: systemClock,
    log: createLog('error', { write: (line) => void lines.push(line) }),
    node: 'test',
  })
  try {
    const created = await client.post('/shadow-runs', { tool: 'KUMA', url: 'http://kuma.test/metrics', key: 'k' })
    assert.equal(created.status, 201)
    const run = await eventually(async () => {
      const { body } = await client.get(`/shadow-runs/${created.body.id}`)
      assert.notEqual(body.endedAt, null)
      return body
    })
    assert.match(run.lastError, /^Pharos failed while it read the answer of Uptime Kuma\. The run has ended/)
    assert.equal(asked, 1)
    assert.match(lines.join(''), /an error that nobody expected/)
  } finally {
    await poller.stop()
  }
})
