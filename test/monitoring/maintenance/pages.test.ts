import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maintenanceOn, type PageMaintenance, pastMaintenanceOn } from '../../../src/monitoring/maintenance/queries.ts'
import { ask, q } from '../../../src/storage/query.ts'
import { type Api, type Tenant, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { type Body, DAY, HOUR, hourFrom, madeWindow } from '../../support/maintenance.ts'
import { type MonitorBody, made, smallest } from '../../support/monitors.ts'
import { NOON } from './stage.ts'

interface Scene extends Tenant {
  readonly monitors: readonly MonitorBody[]
  readonly nums: readonly number[]
  readonly pageId: string
  now(within?: number): Promise<readonly PageMaintenance[]>
  past(from: number, limit?: number): Promise<readonly PageMaintenance[]>
}

/** An organization with two monitors, of which a page shows the first. */
async function scene(api: Api, clock: HandClock): Promise<Scene> {
  const tenant = await api.tenant()
  const { client, orgId } = tenant
  const monitors = [await made(client, smallest('CRON')), await made(client, smallest('CRON'))]
  const sections = [{ name: 'All', monitors: [{ monitorId: monitors[0]?.id }] }]
  const pageId = (await client.post('/status-pages', { name: 'Status', sections })).body.id
  const { database } = api.server.running
  const rows = await database.read(
    ask(q.selectFrom('monitors').select('num').where('org_id', '=', orgId).orderBy('seq')),
  )
  return {
    ...tenant,
    ...{ monitors, pageId, nums: rows.map(({ num }) => num) },
    now: async (within = DAY) => database.read(maintenanceOn({ orgId, pageId }, clock.now(), clock.now() + within)),
    past: async (from, limit = 50) => database.read(pastMaintenanceOn({ orgId, pageId }, from, clock.now(), limit)),
  }
}

const names = (windows: readonly PageMaintenance[]) => windows.map(({ name }) => name)

forEachEngine('what a page tells of maintenance', (engine) => {
  const clock = new HandClock(NOON)
  const api = useApi(engine, { clock })

  test('is what runs now and what begins soon, in that order, with the monitors it covers', async () => {
    const { client, monitors, nums, now } = await scene(api, clock)
    const window = (name: string, inMs: number, extra: Body = {}) =>
      madeWindow(client, { name, ...hourFrom(clock.now(), inMs), ...extra })
    await window('tomorrow', DAY - 1)
    await window('later', DAY)
    await window('over', -HOUR)
    await window('running', -HOUR / 2, { allMonitors: false, monitorIds: [monitors[0]?.id] })
    await window('elsewhere', -HOUR / 2, { allMonitors: false, monitorIds: [monitors[1]?.id] })
    await window('recurring', HOUR - 9 * DAY, { recurrence: 'DAILY' })
    await window('long', -HOUR, { ...hourFrom(clock.now(), -HOUR, 20 * DAY), description: 'All of it' })
    const shown = await now()
    assert.deepEqual(names(shown), ['long', 'running', 'recurring', 'tomorrow'])
    const [long, running, recurring] = shown
    assert.deepEqual(
      [long?.status, long?.description, long?.endsAt],
      ['IN_PROGRESS', 'All of it', clock.now() + 20 * DAY - HOUR],
    )
    assert.deepEqual(
      nums.map((num) => [long?.covers(num), running?.covers(num)]),
      [
        [true, true],
        [true, false],
      ],
    )
    assert.deepEqual([recurring?.status, recurring?.startsAt], ['SCHEDULED', clock.now() + HOUR])
  })

  test('follows the clock, though nobody has told of a start or an end yet', async () => {
    const { client, now } = await scene(api, clock)
    await madeWindow(client, { name: 'once', ...hourFrom(clock.now(), HOUR) })
    clock.advance(1.5 * HOUR)
    assert.deepEqual(
      (await now()).map(({ status }) => status),
      ['IN_PROGRESS'],
    )
    clock.advance(HOUR)
    assert.deepEqual(await now(), [])
  })

  test('is told of by the pages that a window names, and by no others', async () => {
    const { client, now, pageId } = await scene(api, clock)
    const other = (await client.post('/status-pages', { name: 'Other' })).body
    await madeWindow(client, { name: 'theirs', ...hourFrom(clock.now(), 0), statusPageIds: [other.id] })
    await madeWindow(client, { name: 'ours', ...hourFrom(clock.now(), 0), statusPageIds: [other.id, pageId] })
    assert.deepEqual(names(await now()), ['ours'])
  })

  test('was what ended in a time, the latest first; of a recurring window since it was made', async () => {
    const { client, past } = await scene(api, clock)
    const started = clock.now()
    await madeWindow(client, { name: 'long ago', ...hourFrom(started, -40 * DAY) })
    await madeWindow(client, { name: 'week', ...hourFrom(started, -7 * DAY) })
    await madeWindow(client, { name: 'daily', ...hourFrom(started, -9.5 * DAY), recurrence: 'DAILY' })
    clock.advance(3 * DAY)
    await madeWindow(client, { name: 'running', ...hourFrom(clock.now(), -HOUR / 2) })
    const list = await past(started - 30 * DAY)
    assert.deepEqual(names(list), ['daily', 'daily', 'daily', 'week'])
    assert.deepEqual(
      list.slice(0, 3).map(({ startsAt }) => (startsAt - started) / DAY),
      [2.5, 1.5, 0.5],
    )
    assert.ok(list.every(({ status }) => status === 'COMPLETED'))
    assert.deepEqual(names(await past(started - 30 * DAY, 2)), ['daily', 'daily'])
    assert.deepEqual(names(await past(started + 2 * DAY)), ['daily'])
  })
})
