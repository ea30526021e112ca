import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueueFull } from '../../src/lib/fair-queue.ts'
import { ForeignWorkFailed } from '../../src/lib/foreign-work.ts'
import { silentLog } from '../../src/lib/log.ts'
import { createGuard } from '../../src/outbound/guard.ts'
import { startPoller } from '../../src/shadow-runs/poller.ts'
import { useApi } from '../support/api.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { testSealer } from '../support/installation.ts'
import { polled, startKuma } from './support.ts'

const BUSY = 'Pharos was too busy to read the answer of Uptime Kuma.'

forEachEngine('an answer that Pharos does not read', (engine) => {
  const clock = new HandClock()
  const env = { PHAROS_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
  const api = useApi(engine, { clock, env })

  test('is a failed poll if the threads are busy or give up, and ends the run if something unexpected happens', async () => {
    await using kuma = await startKuma({ Shop: 1 })
    const { client } = await api.tenant()
    const { database } = api.server.running
    const faults = [
      new QueueFull(),
      new ForeignWorkFailed('takes too long to be read'),
      new ForeignWorkFailed('needs too much memory to be read'),
      new RangeError('Maximum call stack size exceeded'),
    ]
    let tasks = 0
    const foreign = {
      run: () => Promise.reject(faults[tasks++]),
      close: async () => undefined,
    }
    const guard = createGuard({ policy: 'allow' })
    const parts = { database, clock, log: silentLog, node: 'test', guard, sealer: testSealer, foreign }
    const poller = startPoller(parts)
    try {
      const { body } = await client.post('/shadow-runs', { tool: 'KUMA', url: kuma.url, key: kuma.key })
      const next = async (before: string | null) => {
        const run = await polled(client, body.id, before)
        clock.advance(30_000)
        return run
      }
      const busy = await next(null)
      assert.deepEqual([busy.lastError, busy.endedAt], [BUSY, null])
      const slow = await next(busy.lastPollAt)
      assert.deepEqual([slow.lastError, slow.endedAt], ['The answer of Uptime Kuma takes too long to be read.', null])
      const large = await next(slow.lastPollAt)
      assert.deepEqual(
        [large.lastError, large.endedAt],
        ['The answer of Uptime Kuma needs too much memory to be read.', null],
      )
      const faulty = await next(large.lastPollAt)
      assert.match(faulty.lastError, /^Pharos failed while it read the answer of Uptime Kuma\. The run has ended, /)
      assert.notEqual(faulty.endedAt, null)
      assert.equal(tasks, faults.length)
    } finally {
      await poller.stop()
    }
  })
})
