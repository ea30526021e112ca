import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { nextRun } from '../../../src/monitoring/monitor-options/schedule.ts'
import { heartbeatDeadline, stateValidMs } from '../../../src/monitoring/monitor-states/schedule.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import { startTestServer } from '../../support/server.ts'

const ms = Date.parse
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

test('runs follow the local time of the zone through daylight-saving changes', () => {
  const schedule = { cron: '30 2 * * *', timezone: 'Europe/Berlin' }
  const after = (text: string) => iso(nextRun(schedule, ms(text)))
  assert.equal(after('2026-03-28T12:00Z'), '2026-03-29T01:00:00.000Z', 'the gap moves it to 03:00')
  assert.equal(after('2026-03-29T12:00Z'), '2026-03-30T00:30:00.000Z')
  assert.equal(after('2026-10-24T12:00Z'), '2026-10-25T00:30:00.000Z', 'the first of the two')
  assert.equal(after('2026-10-25T00:30Z'), '2026-10-26T01:30:00.000Z', 'not the second one')
})

test('a heartbeat is overdue the grace after the next run, and its state is valid over the weekend', () => {
  const schedule = { cron: '0 9 * * MON-FRI', timezone: 'UTC' }
  const timing = { type: 'CRON', intervalSeconds: 300, expectedPeriodSec: null, graceSeconds: 600, schedule } as const
  const friday = ms('2026-11-20T09:05Z')
  const deadline = heartbeatDeadline(timing, { lastSuccessAt: friday, started: {}, failed: false })
  assert.equal(iso(deadline), '2026-11-23T09:10:00.000Z')
  assert.ok(friday + stateValidMs(timing, friday) > (deadline as number))
})

test('a CRON monitor with a schedule has its deadline by it, lists the next runs, and goes back to its period', async () => {
  await using server = await startTestServer('sqlite')
  const client = server.client()
  const job = await createMonitor(client, smallest('CRON', { expectedPeriodSec: 3600, graceSeconds: 600 }))
  const ping = () => fetch(`${server.url}${new URL(job.heartbeatUrl).pathname}`)
  const dueAt = async () => {
    const rows = await server.running.database.read(
      execute(
        q
          .selectFrom('monitor_states as s')
          .innerJoin('monitors as m', 'm.num', 's.num')
          .select('s.next_check_at')
          .where('m.id', '=', job.id),
      ),
    )
    return rows[0]?.next_check_at as number
  }
  const schedule = { cron: '0 3 1 * *', timezone: 'Asia/Tokyo' }
  const set = await client.send('PUT', `/monitors/${job.id}/schedule`, schedule)
  assert.equal(set.status, 200, JSON.stringify(set.body))
  const { nextRuns, ...rest } = set.body
  assert.deepEqual(rest, schedule)
  assert.equal(nextRuns.length, 5)
  for (const run of nextRuns) assert.match(run, /T18:00:00\.000Z$/)
  assert.equal(await dueAt(), null, 'before the first heartbeat')
  assert.equal((await ping()).status, 200)
  assert.equal(await dueAt(), ms(nextRuns[0]) + 10 * MINUTE_MS)
  const details = (await client.get(`/monitors/${job.id}/details`)).body.schedule
  assert.equal(details.expectedAt, nextRuns[0])
  // Neither a change of the monitor nor a pause loses it.
  await client.patch(`/monitors/${job.id}`, { graceSeconds: 1200 })
  assert.equal(await dueAt(), ms(nextRuns[0]) + 20 * MINUTE_MS)
  await client.post(`/monitors/${job.id}/pause`, {})
  await client.post(`/monitors/${job.id}/resume`, {})
  assert.equal(await dueAt(), ms(nextRuns[0]) + 20 * MINUTE_MS)
  await client.delete(`/monitors/${job.id}/schedule`)
  assert.ok((await dueAt()) < Date.now() + 2 * HOUR_MS)
})

test('a schedule that is malformed or never runs is refused with a reason', async () => {
  await using server = await startTestServer('sqlite')
  const client = server.client()
  const { id } = await createMonitor(client, smallest('CRON'))
  for (const [cron, message] of [
    ['61 * * * *', /^is not valid: Invalid value for minute: 61$/],
    ['* * * * * *', /^must have five fields/],
    ['2026-11-01T00:00:00', /^must have five fields/],
    ['0 0 30 2 *', /^must match a date that exists$/],
    ['@sometimes', /^is not valid/],
  ] as const) {
    const refused = await client.send('PUT', `/monitors/${id}/schedule`, { cron })
    expectError(refused, 'validation_error', ['cron'])
    assert.match(refused.body.error.details[0].message, message)
  }
  const zone = await client.send('PUT', `/monitors/${id}/schedule`, { cron: '@daily', timezone: 'Mars/Olympus' })
  expectError(zone, 'validation_error', ['timezone'])
})
