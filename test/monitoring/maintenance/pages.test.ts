import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maintenanceOnPage, type PageMaintenance } from '../../../src/monitoring/maintenance/page-maintenance.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { type Api, type Tenant, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { type Body, createWindow, DAY, HOUR, hourFrom } from '../../support/maintenance.ts'
import { createMonitor, type MonitorBody, smallest } from '../../support/monitors.ts'
import { NOON } from './fixtures.ts'

interface Scene extends Tenant {
  readonly monitors: readonly MonitorBody[]
  readonly nums: readonly number[]
  readonly pageId: string
  now(within?: number): Promise<readonly PageMaintenance[]>
}

/** An organization with two monitors, of which a page shows the first. */
async function scene(api: Api, clock: HandClock): Promise<Scene> {
  const tenant = await api.tenant()
  const { client, orgId } = tenant
  const monitors = [await createMonitor(client, smallest('CRON')), await createMonitor(client, smallest('CRON'))]
  const sections = [{ name: 'All', monitors: [{ monitorId: monitors[0]?.id }] }]
  const pageId = (await client.post('/status-pages', { name: 'Status', sections })).body.id
  const { database } = api.server.running
  const rows = await database.read(
    execute(q.selectFrom('monitors').select('num').where('org_id', '=', orgId).orderBy('seq')),
  )
  return {
    ...tenant,
    monitors,
    pageId,
    nums: rows.map(({ num }) => num),
    now: async (within = DAY) => database.read(maintenanceOnPage({ orgId, pageId }, clock.now(), clock.now() + within)),
  }
}

const names = (windows: readonly PageMaintenance[]) => windows.map(({ name }) => name)

forEachEngine('maintenance on a status page', (engine) => {
  const clock = new HandClock(NOON)
  const api = useApi(engine, { clock })

  test('lists windows in progress and those that start soon, with the monitors that they cover', async () => {
    const { client, monitors, nums, now } = await scene(api, clock)
    const window = (name: string, inMs: number, extra: Body = {}) =>
      createWindow(client, { name, ...hourFrom(clock.now(), inMs), ...extra })
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

  test('follows the clock even before the scheduler has applied a transition', async () => {
    const { client, now } = await scene(api, clock)
    await createWindow(client, { name: 'once', ...hourFrom(clock.now(), HOUR) })
    clock.advance(1.5 * HOUR)
    assert.deepEqual(
      (await now()).map(({ status }) => status),
      ['IN_PROGRESS'],
    )
    clock.advance(HOUR)
    assert.deepEqual(await now(), [])
  })

  test('is shown only on the pages that a window lists', async () => {
    const { client, now, pageId } = await scene(api, clock)
    const other = (await client.post('/status-pages', { name: 'Other' })).body
    await createWindow(client, { name: 'theirs', ...hourFrom(clock.now(), 0), statusPageIds: [other.id] })
    await createWindow(client, { name: 'ours', ...hourFrom(clock.now(), 0), statusPageIds: [other.id, pageId] })
    assert.deepEqual(names(await now()), ['ours'])
  })
})
