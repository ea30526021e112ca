import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { StallMeter } from '../../../src/monitoring/probes/stall-meter.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { current, made, smallest } from '../../support/monitors.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { startProcess } from '../../support/process.ts'
import { BOOTSTRAP_KEY, clientOf, startTestServer } from '../../support/server.ts'
import { closedPort, startHttpTarget } from '../../support/targets.ts'
import { countedAt, expectNoIncident, showMetrics } from './faults.ts'
import { rawResultsOf } from './stored-history.ts'

const STALL_MS = 1_000

/** Keeps this thread from doing anything else. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('a thread knows how long it stood still, also while the beat that would have told it is still to come', async () => {
  using meter = new StallMeter(500)
  meter.start()
  const startedAt = performance.now()
  standStill(STALL_MS)
  assert.ok(meter.longestSince(startedAt) >= STALL_MS - 200, 'before the next beat')
  await setTimeout(150)
  assert.ok(meter.longestSince(startedAt) >= STALL_MS - 200, 'after it')
  standStill(STALL_MS / 3)
  await setTimeout(150)
  assert.ok(meter.longestSince(startedAt) >= STALL_MS - 200, 'the longest counts, not the latest')
})

test('what stood still before a check began is none of its business', async () => {
  using meter = new StallMeter(500)
  meter.start()
  standStill(2 * STALL_MS)
  await setTimeout(150)
  assert.ok(meter.longestSince(performance.now()) < 1.5 * STALL_MS)
})

test('while it rests nothing is a stall, and the stall that its rest ended is not forgotten', () => {
  using meter = new StallMeter(500)
  meter.start()
  const startedAt = performance.now()
  standStill(STALL_MS)
  meter.stop()
  assert.ok(meter.longestSince(startedAt) >= STALL_MS - 200)
  const restingAt = performance.now()
  standStill(STALL_MS)
  assert.equal(meter.longestSince(restingAt), 0)
  meter.start()
  assert.equal(meter.longestSince(restingAt), 0)
})

forEachEngine('a service that stood still', (engine) => {
  test('a time-out that passed while the process was stopped makes nobody DOWN, and is counted', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'pharos-stall-'))
    await using own = engine === 'postgres' ? await freshDatabase() : undefined
    await using target = await startHttpTarget()
    const metricsUrl = `http://127.0.0.1:${await closedPort()}/metrics`
    const env = { PHAROS_DATA_DIR: dataDir, PHAROS_METRICS_LISTEN: new URL(metricsUrl).host }
    const node = await startProcess({ ...env, ...(own && { DATABASE_URL: own.url }) })
    try {
      const client = clientOf(node.url, { 'x-api-key': BOOTSTRAP_KEY })
      const answer = target.hold()
      const visited = target.visited()
      const before = await made(client, smallest('HTTP', { url: target.url, timeoutSeconds: 2 }))
      await visited
      process.kill(node.pid, 'SIGSTOP')
      await setTimeout(2_200)
      process.kill(node.pid, 'SIGCONT')
      await eventually(async () => assert.equal((await countedAt(metricsUrl)).inconclusive, 1))
      assert.deepEqual(await current(client, before.id), before)
      await expectNoIncident(client)
      answer()
      const { body } = await client.post(`/monitors/${before.id}/check`, {})
      assert.equal(body.state, 'UP')
    } finally {
      await node.kill()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })

  test('a check that the end of the service cut short makes nobody DOWN, and is made again after the start', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'pharos-stop-'))
    await using own = engine === 'postgres' ? await freshDatabase() : undefined
    await using target = await startHttpTarget()
    const clock = new HandClock()
    const options = { env: showMetrics, clock, dataDir, ...(own && { databaseUrl: own.url }) }
    try {
      const first = await startTestServer(engine, options)
      const answer = target.hold()
      const visited = target.visited()
      const before = await made(first.client(), smallest('HTTP', { url: target.url }))
      await visited
      await first.stop()
      answer()
      await using second = await startTestServer(engine, options)
      const client = second.client()
      assert.deepEqual(await current(client, before.id), before)
      await expectNoIncident(client)
      clock.advance(15_000)
      await eventually(async () => assert.equal((await current(client, before.id)).state, 'UP'))
      await expectNoIncident(client)
      assert.equal((await rawResultsOf(second, before.id)).length, 1)
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
