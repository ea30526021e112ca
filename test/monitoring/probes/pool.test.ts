import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { silentLog } from '../../../src/lib/log.ts'
import type { ProbeSettings } from '../../../src/monitoring/probes/create-probes.ts'
import { createProbePool, type ProbePool } from '../../../src/monitoring/probes/pool.ts'
import { closedPort, listen, never, unresponsivePort } from '../../outbound/fixtures.ts'
import { targetOf } from './target.ts'

const settings: ProbeSettings = {
  privateTargets: 'allow',
  confirmDelaysSeconds: [],
  dnsServers: [],
  rdapBootstrap: 'http://127.0.0.1:9',
  sentinels: [],
}
const cancelled = { outcome: 'inconclusive', reason: 'The check was cancelled' }
const stopping = { outcome: 'inconclusive', reason: 'The server is stopping' }

describe('threads that probe', () => {
  let pool: ProbePool
  before(() => {
    pool = createProbePool(settings, silentLog)
  })
  after(() => pool.close())

  test('each look gets its own answer, however many are under way and in whatever order they end', async () => {
    await using server = await listen(net.createServer((socket) => socket.resume()))
    const closed = await closedPort()
    const open = targetOf({ host: '127.0.0.1', port: server.port })
    const refused = targetOf({ host: '127.0.0.1', port: closed })
    for (let round = 0; round < 3; round += 1) {
      const looks = Array.from({ length: 400 }, (_, i) => pool.runProbe('PORT', i % 3 === 0 ? refused : open, never))
      const outcomes = (await Promise.all(looks)).map(({ outcome }) => outcome)
      assert.deepEqual(
        outcomes,
        outcomes.map((_, i) => (i % 3 === 0 ? 'failure' : 'success')),
      )
    }
  })

  test('what nobody wants any more ends at once, also before it has gone over to its thread', async () => {
    await using silent = await unresponsivePort()
    const target = targetOf({ host: '127.0.0.1', port: silent.port, timeoutMs: 60_000 })
    const controller = new AbortController()
    const early = Array.from({ length: 50 }, () => pool.runProbe('PORT', target, controller.signal))
    await new Promise((resolve) => setTimeout(resolve, 100))
    const late = pool.runProbe('PORT', target, controller.signal)
    controller.abort(new Error('enough'))
    assert.deepEqual(
      await Promise.all([...early, late]),
      Array.from({ length: 51 }, () => cancelled),
    )
    assert.deepEqual(await pool.runProbe('PORT', target, controller.signal), stopping)
  })

  test('one that is broken off takes no other with it', async () => {
    await using silent = await unresponsivePort()
    const target = targetOf({ host: '127.0.0.1', port: silent.port, timeoutMs: 1_000 })
    const controller = new AbortController()
    const mine = pool.runProbe('PORT', target, controller.signal)
    const other = pool.runProbe('PORT', target, never)
    controller.abort(new Error('enough'))
    assert.deepEqual(await mine, cancelled)
    assert.partialDeepStrictEqual(await other, { outcome: 'failure', code: 'TIMEOUT' })
  })
})

test('looks under way when the pool closes are told so, and later ones too', async () => {
  const pool = createProbePool(settings, silentLog)
  await using silent = await unresponsivePort()
  const target = targetOf({ host: '127.0.0.1', port: silent.port, timeoutMs: 60_000 })
  const look = pool.runProbe('PORT', target, never)
  await pool.close()
  assert.deepEqual(await look, stopping)
  assert.deepEqual(await pool.runProbe('PORT', target, never), stopping)
})
