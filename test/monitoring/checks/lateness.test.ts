import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { HandClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { metricsEnv } from './faults.ts'

async function lateness({ running }: TestServer): Promise<{ count: number; sum: number; waiting: number }> {
  const text = await (await fetch(running.metricsUrl as string)).text()
  const read = (what: string) => Number(new RegExp(`^pharos_${what} (.+)$`, 'm').exec(text)?.[1])
  return {
    count: read('check_lateness_seconds_count'),
    sum: read('check_lateness_seconds_sum'),
    waiting: read('checks_waiting'),
  }
}

test('the metrics tell how late checks begin', async () => {
  await using target = await startHttpTarget()
  const clock = new HandClock(Date.UTC(2026, 5, 1, 12))
  await using server = await startTestServer('sqlite', { env: metricsEnv, clock })
  await createMonitor(server.client(), smallest('HTTP', { url: target.url, intervalSeconds: 60 }))
  await eventually(async () => assert.deepEqual(await lateness(server), { count: 1, sum: 0, waiting: 0 }))
  // Due within a minute and a few seconds, so about two to three minutes late.
  clock.advance(3 * MINUTE_MS)
  await eventually(async () => assert.equal((await lateness(server)).count, 2))
  const { sum } = await lateness(server)
  assert.ok(sum >= 110 && sum <= 180, String(sum))
})
