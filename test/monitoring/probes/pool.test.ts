import assert from 'node:assert/strict'
import net, { type Socket } from 'node:net'
import { after, describe, mock, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { silentLog } from '../../../src/lib/log.ts'
import type { ProbeSettings } from '../../../src/monitoring/probes/create-probes.ts'
import { createProbePool } from '../../../src/monitoring/probes/pool.ts'
import { reason } from '../../../src/reasons/reason.ts'
import { listen, never, OK, raw } from '../../outbound/fixtures.ts'
import { closedPort } from '../../support/ports.ts'
import { targetOf } from '../monitor-types/target.ts'

const settings: ProbeSettings = {
  privateTargets: 'allow',
  confirmDelaysSeconds: [],
  dnsServers: [],
  rdapBootstrap: 'http://127.0.0.1:9',
}
const cancelled = { outcome: 'inconclusive', reason: reason('check_cancelled') }
const stopping = { outcome: 'inconclusive', reason: reason('server_stopping') }
const threadEnded = { outcome: 'inconclusive', reason: reason('probe_ended') }

/** An HTTP server that keeps its requests unanswered until the test answers them. */
async function startHoldingServer() {
  const held: Socket[] = []
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  const listener = await listen(
    raw((socket) => {
      held.push(socket)
      for (const { count, resolve } of waiting) if (held.length >= count) resolve()
    }),
  )
  return {
    ...listener,
    held,
    target: targetOf({ url: `http://127.0.0.1:${listener.port}/`, timeoutMs: 60_000 }),
    requests: (count: number): Promise<void> =>
      held.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
  }
}

describe('probe threads', () => {
  const pool = createProbePool(settings, silentLog)
  after(() => pool.close())

  test('each probe gets its own result, in whatever order they end', async () => {
    await using server = await listen(net.createServer((socket) => socket.resume()))
    const open = targetOf({ host: '127.0.0.1', port: server.port, timeoutMs: 60_000 })
    const refused = targetOf({ host: '127.0.0.1', port: await closedPort(), timeoutMs: 60_000 })
    for (let round = 0; round < 3; round += 1) {
      const probes = Array.from({ length: 400 }, (_, i) => pool.runProbe('PORT', i % 3 === 0 ? refused : open, never))
      // A refused connection is inconclusive instead of a failure if a busy machine stops the thread for half a second.
      const isOpen = (await Promise.all(probes)).map(({ outcome }) => outcome === 'success')
      assert.deepEqual(
        isOpen,
        isOpen.map((_, i) => i % 3 !== 0),
      )
    }
  })

  test('an abort ends running probes and those that have not been posted to their thread', async () => {
    await using server = await startHoldingServer()
    const controller = new AbortController()
    const running = Array.from({ length: 50 }, () => pool.runProbe('HTTP', server.target, controller.signal))
    await server.requests(50)
    const unposted = pool.runProbe('HTTP', server.target, controller.signal)
    controller.abort(new Error('enough'))
    assert.deepEqual(
      await Promise.all([...running, unposted]),
      Array.from({ length: 51 }, () => cancelled),
    )
    assert.deepEqual(await pool.runProbe('HTTP', server.target, controller.signal), stopping)
  })

  test('an abort ends no probe of another signal', async () => {
    await using server = await startHoldingServer()
    const controller = new AbortController()
    const mine = pool.runProbe('HTTP', server.target, controller.signal)
    const other = pool.runProbe('HTTP', server.target, never)
    await server.requests(2)
    controller.abort(new Error('enough'))
    assert.deepEqual(await mine, cancelled)
    for (const socket of server.held) socket.end(OK)
    assert.partialDeepStrictEqual(await other, { outcome: 'success', statusCode: 200 })
  })
})

test('probes that run when the pool closes, and later ones, are inconclusive', async () => {
  const pool = createProbePool(settings, silentLog)
  await using server = await startHoldingServer()
  const running = pool.runProbe('HTTP', server.target, never)
  await server.requests(1)
  await pool.close()
  assert.deepEqual(await running, stopping)
  assert.deepEqual(await pool.runProbe('HTTP', server.target, never), stopping)
})

/** The threads that this process starts from now on. */
function watchWorkers(): Worker[] & Disposable {
  const workers: Worker[] = []
  const add = (worker: Worker) => workers.push(worker)
  process.on('worker', add)
  return Object.assign(workers, { [Symbol.dispose]: () => void process.off('worker', add) })
}

test('a thread starts with its first probe, and an unused pool can be closed', async () => {
  using workers = watchWorkers()
  const pool = createProbePool(settings, silentLog)
  const target = targetOf({ host: '127.0.0.1', port: await closedPort() })
  assert.equal(workers.length, 0)
  for (let i = 0; i < 3; i += 1) {
    assert.partialDeepStrictEqual(await pool.runProbe('PORT', target, never), { outcome: 'failure', code: 'CONNECT' })
  }
  assert.equal(workers.length, 1)
  await pool.close()
  await createProbePool(settings, silentLog).close()
  assert.equal(workers.length, 1)
})

test('the probes of a thread that crashes are inconclusive; a second later it starts again', async (t) => {
  using workers = watchWorkers()
  const pool = createProbePool(settings, silentLog)
  t.after(() => pool.close())
  await using server = await startHoldingServer()
  const running = pool.runProbe('HTTP', server.target, never)
  await server.requests(1)
  let nowMs = performance.now()
  const now = mock.method(performance, 'now', () => nowMs)
  t.after(() => now.mock.restore())
  await workers[0]?.terminate()
  assert.deepEqual(await running, threadEnded)
  // With several threads the least busy one takes the next probe: the crashed one, which comes first.
  nowMs += 999
  assert.deepEqual(await pool.runProbe('HTTP', server.target, never), threadEnded)
  nowMs += 1
  const again = pool.runProbe('HTTP', server.target, never)
  await server.requests(2)
  server.held[1]?.end(OK)
  assert.partialDeepStrictEqual(await again, { outcome: 'success' })
  assert.equal(workers.length, 2)
})
