import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import {
  type Body,
  changedWindow,
  createWindow,
  currentWindow,
  DAY,
  HOUR,
  hourFrom,
  tenantWithWindow,
  text,
  untouchedBy,
} from '../../support/maintenance.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'

const each: readonly [field: string, value: unknown][] = [
  ['name', 'Another'],
  ['description', 'New'],
  ['startsAt', '2026-01-20T01:00:00.000Z'],
  ['endsAt', '2026-01-25T01:00:00.000Z'],
  ['timezone', 'Asia/Tokyo'],
  ['recurrence', 'DAILY'],
  ['recurrenceInterval', 3],
  ['daysOfWeek', [1, 2]],
  ['daysOfMonth', [-1]],
  ['recurrenceEndsAt', '2027-01-01T00:00:00.000Z'],
  ['allMonitors', true],
]

const inconsistent: readonly [what: string, patch: Body, paths: readonly string[]][] = [
  ['an end before the start it has', { endsAt: '2026-01-20T00:59Z' }, ['endsAt']],
  ['a start after the end it has', { startsAt: '2026-01-21T02:00Z' }, ['endsAt']],
  ['a start more than 30 days before the end it has', { startsAt: '2025-12-20T00:00Z' }, ['endsAt']],
  ['no monitors and not all', { monitorIds: [] }, ['monitorIds']],
  [
    'a recurrence that ends too early',
    { recurrence: 'DAILY', recurrenceEndsAt: '2026-01-01T00:00Z' },
    ['recurrenceEndsAt'],
  ],
  ['an unknown monitor', { monitorIds: ['mon_x'] }, ['monitorIds.0']],
  [
    'an unknown page and an end too early',
    { statusPageIds: ['page_x'], endsAt: '2026-01-01T00:00Z' },
    ['endsAt', 'statusPageIds.0'],
  ],
  ['nulls', { name: null, startsAt: null, recurrence: null }, ['name', 'recurrence', 'startsAt']],
  [
    'bounds broken',
    { recurrenceInterval: 53, daysOfWeek: [0], timezone: 'Nowhere' },
    ['daysOfWeek.0', 'recurrenceInterval', 'timezone'],
  ],
  ['read-only fields', { status: 'COMPLETED', id: 'mw_1' }, ['id', 'status']],
]

forEachEngine('PATCH /maintenance-windows/{maintenanceId}', (engine) => {
  const clock = new HandClock(Date.UTC(2026, 0, 5, 12))
  const api = useApi(engine, { clock })
  changes(api, clock)
  wholes(api, clock)
  whatIsGone(api, clock)
})

function changes(api: Api, clock: HandClock): void {
  for (const [field, value] of each) {
    test(`${field} alone is changed, and nothing but what follows from it`, async () => {
      const { client, monitor } = await tenantWithWindow(api)
      const window = await createWindow(client, {
        startsAt: '2026-01-21T01:00Z',
        endsAt: '2026-01-22T01:00Z',
        allMonitors: false,
        monitorIds: [monitor.id],
      })
      clock.advance(1_000)
      const after = await changedWindow(client, window.id, { [field]: value })
      const { nextOccurrence: _, ...unchanged } = window
      assert.partialDeepStrictEqual(after, { ...unchanged, [field]: value, updatedAt: text(clock.now()) })
      assert.deepEqual(await currentWindow(client, window.id), after)
    })
  }

  test('monitors and pages are replaced, and filters use the new ones', async () => {
    const { client, window, monitor } = await tenantWithWindow(api)
    const other = await createMonitor(client, smallest('CRON'))
    const { body: page } = await client.post('/status-pages', { name: 'Status' })
    await changedWindow(client, window.id, { monitorIds: [other.id], statusPageIds: [page.id] })
    const found = async (filter: string) => (await client.get(`/maintenance-windows?${filter}`)).body.pagination.total
    assert.equal(await found(`monitorId=${monitor.id}`), 0)
    assert.equal(await found(`monitorId=${other.id}`), 1)
    assert.equal(await found(`statusPageId=${page.id}`), 1)
    await changedWindow(client, window.id, { statusPageIds: [] })
    assert.equal(await found(`statusPageId=${page.id}`), 0)
  })

  test('an update without changes does not even change updatedAt', async () => {
    const { client, window } = await tenantWithWindow(api)
    clock.advance(1_000)
    const { name, startsAt, monitorIds } = window
    const inOtherWords = { name, startsAt: startsAt.replace('Z', '+00:00'), monitorIds, timezone: 'utc' }
    assert.deepEqual(await changedWindow(client, window.id, inOtherWords), window)
    assert.deepEqual(await changedWindow(client, window.id, {}), window)
  })

  test('an end in the past ends a window; a later one starts it again', async () => {
    const { client } = await api.tenant()
    const now = clock.now()
    const window = await createWindow(client, hourFrom(now, -HOUR / 2))
    const ended = await changedWindow(client, window.id, { endsAt: text(now) })
    assert.deepEqual([ended.status, ended.currentOccurrence], ['COMPLETED', null])
    const again = await changedWindow(client, window.id, { endsAt: text(now + HOUR) })
    assert.equal(again.status, 'IN_PROGRESS')
    const later = await changedWindow(client, window.id, hourFrom(now, DAY))
    assert.equal(later.status, 'SCHEDULED')
  })
}

function wholes(api: Api, clock: HandClock): void {
  for (const [what, patch, paths] of inconsistent) {
    test(`${what}: the result would be wrong, so nothing changes`, async () => {
      const { client, monitor } = await tenantWithWindow(api)
      const { id } = await createWindow(client, {
        startsAt: '2026-01-20T01:00Z',
        endsAt: '2026-01-21T01:00Z',
        allMonitors: false,
        monitorIds: [monitor.id],
      })
      clock.advance(1_000)
      const answer = await untouchedBy(client, () =>
        client.patch(`/maintenance-windows/${id}`, { name: 'Another', ...patch }),
      )
      assert.equal(answer.status, 400)
      expectError(answer, 'validation_error', paths)
    })
  }
}

function whatIsGone(api: Api, clock: HandClock): void {
  test('a deleted monitor is removed from its windows; one without monitors stays and can be updated', async () => {
    const { client, window, monitor } = await tenantWithWindow(api)
    const other = await createMonitor(client, smallest('CRON'))
    const both = await createWindow(client, { allMonitors: false, monitorIds: [monitor.id, other.id] })
    clock.advance(1_000)
    assert.equal((await client.delete(`/monitors/${monitor.id}`)).status, 200)
    assert.deepEqual(await currentWindow(client, both.id), {
      ...both,
      monitorIds: [other.id],
      updatedAt: text(clock.now()),
    })
    assert.deepEqual((await currentWindow(client, window.id)).monitorIds, [])
    assert.equal((await changedWindow(client, window.id, { name: 'Empty' })).name, 'Empty')
    expectError(
      await client.patch(`/maintenance-windows/${window.id}`, { monitorIds: [monitor.id] }),
      'validation_error',
      ['monitorIds.0'],
    )
    assert.deepEqual((await changedWindow(client, window.id, { monitorIds: [other.id] })).monitorIds, [other.id])
  })

  test('a deleted page stays listed, so the window does not move to other pages', async () => {
    const { client } = await api.tenant()
    const [first, second] = await Promise.all(
      ['One', 'Two'].map(async (name) => (await client.post('/status-pages', { name })).body),
    )
    const window = await createWindow(client, { statusPageIds: [first.id] })
    await client.delete(`/status-pages/${first.id}`)
    assert.deepEqual((await currentWindow(client, window.id)).statusPageIds, [first.id])
    const changed = await changedWindow(client, window.id, { statusPageIds: [first.id, second.id] })
    assert.deepEqual(changed.statusPageIds, [first.id, second.id])
    await changedWindow(client, window.id, { statusPageIds: [second.id] })
    const answer = await client.patch(`/maintenance-windows/${window.id}`, { statusPageIds: [first.id] })
    expectError(answer, 'validation_error', ['statusPageIds.0'])
  })
}
