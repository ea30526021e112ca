import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import {
  type Body,
  createWindow,
  currentWindow,
  DAY,
  HOUR,
  hourFrom,
  smallestWindow,
  text,
  untouchedBy,
} from '../../support/maintenance.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import { fill } from '../../support/tables.ts'

const times = { startsAt: '2030-01-02T03:00:00Z', endsAt: '2030-01-02T04:00:00Z' }
const all = { name: 'Upgrade', ...times, allMonitors: true }
const list = (count: number, item: unknown) => new Array(count).fill(item)

const badBodies: readonly [what: string, body: Body, paths: readonly string[]][] = [
  ['nothing', {}, ['endsAt', 'monitorIds', 'name', 'startsAt']],
  ['an empty name', { ...all, name: '' }, ['name']],
  ['a name that is too long', { ...all, name: 'x'.repeat(121) }, ['name']],
  ['a description that is too long', { ...all, description: 'x'.repeat(2001) }, ['description']],
  ['a start that is null', { ...all, startsAt: null }, ['startsAt']],
  ['a start without an offset', { ...all, startsAt: '2030-01-02T03:00:00' }, ['startsAt']],
  ['a start that there is not', { ...all, startsAt: '2030-02-30T03:00:00Z' }, ['startsAt']],
  ['an end that is a number', { ...all, endsAt: 1893553200000 }, ['endsAt']],
  ['an end at the start', { ...all, endsAt: times.startsAt }, ['endsAt']],
  ['an end at the start in other words', { ...all, endsAt: '2030-01-02T05:00+02:00' }, ['endsAt']],
  ['an end before the start', { ...all, endsAt: '2030-01-02T02:59:59.999Z' }, ['endsAt']],
  ['more than 30 days', { ...all, endsAt: '2030-02-01T03:00:00.001Z' }, ['endsAt']],
  ['a year that cannot be written', { ...all, startsAt: '0000-01-01T00:00+01:00' }, ['endsAt', 'startsAt']],
  [
    'an end after the last year',
    { ...all, ...hourFrom(Date.UTC(9999, 11, 31, 23), 0), endsAt: '9999-12-31T23:59-01:00' },
    ['endsAt'],
  ],
  ['an unknown time zone', { ...all, timezone: 'Mars/Olympus' }, ['timezone']],
  ['an offset as time zone', { ...all, timezone: '+01:00' }, ['timezone']],
  ['an empty time zone', { ...all, timezone: '' }, ['timezone']],
  ['a time zone that is null', { ...all, timezone: null }, ['timezone']],
  ['an unknown recurrence', { ...all, recurrence: 'YEARLY' }, ['recurrence']],
  ['an interval of 0', { ...all, recurrenceInterval: 0 }, ['recurrenceInterval']],
  ['an interval of 53', { ...all, recurrenceInterval: 53 }, ['recurrenceInterval']],
  ['an interval of a half', { ...all, recurrenceInterval: 1.5 }, ['recurrenceInterval']],
  ['an interval as text', { ...all, recurrenceInterval: '1' }, ['recurrenceInterval']],
  [
    'days of the week that there are not',
    { ...all, daysOfWeek: [1, 0, 8, '1'] },
    ['daysOfWeek.1', 'daysOfWeek.2', 'daysOfWeek.3'],
  ],
  ['more days than a week has', { ...all, daysOfWeek: [1, 2, 3, 4, 5, 6, 7, 1] }, ['daysOfWeek', 'daysOfWeek.7']],
  [
    'days of the month that there are not',
    { ...all, daysOfMonth: [0, 32, -2, -1, 31] },
    ['daysOfMonth.0', 'daysOfMonth.1', 'daysOfMonth.2'],
  ],
  [
    'a day that never comes',
    {
      ...all,
      startsAt: '2030-02-02T03:00Z',
      endsAt: '2030-02-02T04:00Z',
      recurrence: 'MONTHLY',
      recurrenceInterval: 12,
      daysOfMonth: [30],
    },
    ['daysOfMonth'],
  ],
  [
    'a recurrence that ends before it begins',
    { ...all, recurrence: 'DAILY', recurrenceEndsAt: '2030-01-02T02:59:59Z' },
    ['recurrenceEndsAt'],
  ],
  [
    'a recurrence that ends before its first day',
    { ...all, recurrence: 'WEEKLY', daysOfWeek: [2], recurrenceEndsAt: '2030-01-07T00:00Z' },
    ['recurrenceEndsAt'],
  ],
  ['an end of the recurrence that is no moment', { ...all, recurrenceEndsAt: 'never' }, ['recurrenceEndsAt']],
  ['neither monitors nor all of them', { name: 'x', ...times }, ['monitorIds']],
  ['an empty list and not all', { name: 'x', ...times, monitorIds: [], allMonitors: false }, ['monitorIds']],
  ['monitors that are null', { ...all, monitorIds: null }, ['monitorIds']],
  ['more than 500 monitors', { ...all, monitorIds: list(501, 'mon_1') }, ['monitorIds']],
  ['a day of the week twice', { ...all, recurrence: 'WEEKLY', daysOfWeek: [1, 3, 1] }, ['daysOfWeek.2']],
  ['a day of the month twice', { ...all, recurrence: 'MONTHLY', daysOfMonth: [-1, -1] }, ['daysOfMonth.1']],
  ['a monitor twice', { ...all, monitorIds: ['mon_1', 'mon_1'] }, ['monitorIds.1']],
  ['a page twice', { ...all, statusPageIds: ['page_1', 'page_1'] }, ['statusPageIds.1']],
  ['allMonitors as text', { ...all, allMonitors: 'true' }, ['allMonitors']],
  ['pages that are no list', { ...all, statusPageIds: 'page_1' }, ['statusPageIds']],
  [
    'read-only fields',
    { ...all, id: 'mw_1', status: 'SCHEDULED', nextOccurrence: null },
    ['id', 'nextOccurrence', 'status'],
  ],
  [
    'faults everywhere, all of which are reported',
    { name: 1, startsAt: 'x', endsAt: 5, timezone: 'x', recurrence: 'x', monitorIds: [1], more: 1 },
    ['endsAt', 'monitorIds.0', 'more', 'name', 'recurrence', 'startsAt', 'timezone'],
  ],
]

forEachEngine('POST /maintenance-windows', (engine) => {
  const clock = new HandClock(Date.UTC(2026, 0, 5, 12))
  const api = useApi(engine, { clock })
  fields(api, clock)
  if (engine === 'sqlite') faults(api)
  references(api)
  standing(api, clock)
})

function fields(api: Api, clock: HandClock): void {
  test('name, times and coverage are enough; everything else has a default', async () => {
    const { client } = await api.tenant()
    const { id, ...rest } = (await client.post('/maintenance-windows', all)).body
    const now = text(clock.now())
    const occurrence = { startsAt: '2030-01-02T03:00:00.000Z', endsAt: '2030-01-02T04:00:00.000Z' }
    assert.deepEqual(rest, {
      name: 'Upgrade',
      description: null,
      ...occurrence,
      timezone: 'UTC',
      recurrence: 'NONE',
      recurrenceInterval: 1,
      daysOfWeek: [],
      daysOfMonth: [],
      recurrenceEndsAt: null,
      monitorIds: [],
      allMonitors: true,
      statusPageIds: [],
      status: 'SCHEDULED',
      currentOccurrence: null,
      nextOccurrence: occurrence,
      createdAt: now,
      updatedAt: now,
    })
    assert.deepEqual(await currentWindow(client, id), { id, ...rest })
  })

  test('every field is stored as sent, timestamps in UTC', async () => {
    const { client } = await api.tenant()
    const monitors = [await createMonitor(client, smallest('CRON')), await createMonitor(client, smallest('CRON'))]
    const { body: page } = await client.post('/status-pages', { name: 'Status' })
    const body = {
      name: 'Größeres ☂',
      description: 'Zeile 1\nZeile 2',
      timezone: 'America/St_Johns',
      recurrence: 'MONTHLY',
      recurrenceInterval: 52,
      daysOfWeek: [7, 1],
      daysOfMonth: [-1, 31, 1],
      monitorIds: monitors.map(({ id }) => id).toReversed(),
      allMonitors: false,
      statusPageIds: [page.id],
    }
    const moments = {
      startsAt: '2030-01-31T03:00+05:30',
      endsAt: '2030-01-31T04:00:30.123456789+05:30',
      recurrenceEndsAt: '2035-01-01T00:00:00Z',
    }
    const window = await createWindow(client, { ...body, ...moments })
    assert.partialDeepStrictEqual(window, {
      ...body,
      startsAt: '2030-01-30T21:30:00.000Z',
      endsAt: '2030-01-30T22:30:30.123Z',
      recurrenceEndsAt: '2035-01-01T00:00:00.000Z',
    })
    assert.deepEqual(await currentWindow(client, window.id), window)
  })

  test('the limits are accepted: 120 and 2000 characters, 30 days, 500 monitors, every interval', async () => {
    const { client, orgId } = await api.tenant()
    await fill(api.server, orgId, 500)
    const monitors = q.selectFrom('monitors').select('id').where('org_id', '=', orgId)
    const ids = (await api.server.running.database.read(execute(monitors))).map(({ id }) => id)
    await createWindow(client, { name: 'x'.repeat(120), description: '😀'.repeat(2000) })
    await createWindow(client, { ...hourFrom(clock.now(), 0, 30 * DAY), recurrence: 'DAILY', recurrenceInterval: 52 })
    await createWindow(client, { ...hourFrom(clock.now(), DAY, 1), monitorIds: ids, allMonitors: false })
    await createWindow(client, { startsAt: '2030-12-31T23:59:60Z', endsAt: '2031-01-01T00:00:30Z' })
  })

  test('without explicit days, the day of the start in the time zone applies', async () => {
    const { client } = await api.tenant()
    // A Thursday in UTC, Friday the 16th in Tokyo.
    const start = { startsAt: '2026-01-15T20:00Z', endsAt: '2026-01-15T21:00Z', timezone: 'Asia/Tokyo' }
    const weekly = await createWindow(client, { ...start, recurrence: 'WEEKLY' })
    assert.deepEqual([weekly.daysOfWeek, weekly.daysOfMonth], [[5], []])
    const monthly = await createWindow(client, { ...start, recurrence: 'MONTHLY', daysOfMonth: [] })
    assert.deepEqual([monthly.daysOfWeek, monthly.daysOfMonth], [[], [16]])
    const moved = (await client.patch(`/maintenance-windows/${weekly.id}`, { startsAt: '2026-01-15T10:00Z' })).body
    assert.deepEqual(moved.daysOfWeek, [4])
  })

  test('a time zone is accepted in any case and stored in its canonical case', async () => {
    const { client } = await api.tenant()
    assert.equal((await createWindow(client, { timezone: 'europe/berlin' })).timezone, 'Europe/Berlin')
    assert.equal((await createWindow(client, { timezone: 'US/Eastern' })).timezone, 'US/Eastern')
  })
}

function faults(api: Api): void {
  test('a faulty window is refused with the paths of all faults, and nothing is created', async () => {
    const { client } = await api.tenant()
    await untouchedBy(client, async () => {
      for (const [what, body, paths] of badBodies) {
        const answer = await client.post('/maintenance-windows', body)
        assert.equal(answer.status, 400, what)
        expectError(answer, 'validation_error', paths)
      }
    })
  })
}

function references(api: Api): void {
  test('unknown monitors and pages, also of other organizations, are reported by their index', async () => {
    const [own, other] = [await api.tenant(), await api.tenant()]
    const mine = await createMonitor(own.client, smallest('CRON'))
    const foreign = await createMonitor(other.client, smallest('CRON'))
    const { body: page } = await other.client.post('/status-pages', { name: 'Theirs' })
    const body = {
      name: 'x',
      ...times,
      recurrence: 'DAILY',
      recurrenceEndsAt: '2029-01-01T00:00Z',
      monitorIds: [mine.id, 'mon_x', foreign.id],
      statusPageIds: [page.id],
    }
    const answer = await untouchedBy(own.client, () => own.client.post('/maintenance-windows', body))
    const paths = ['monitorIds.1', 'monitorIds.2', 'recurrenceEndsAt', 'statusPageIds.0']
    expectError(answer, 'validation_error', paths)
    const [foreignFault, unknownFault] = [2, 1].map((i) =>
      answer.body.error.details.find(({ path }: { path: string }) => path === `monitorIds.${i}`),
    )
    assert.equal(foreignFault.message, unknownFault.message, 'what is theirs looks like what never was')
  })

  test('monitors may be listed together with allMonitors, and must exist', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('CRON'))
    assert.deepEqual((await createWindow(client, { monitorIds: [id] })).monitorIds, [id])
    const answer = await client.post('/maintenance-windows', smallestWindow({ monitorIds: ['mon_x'] }))
    expectError(answer, 'validation_error', ['monitorIds.0'])
  })
}

function standing(api: Api, clock: HandClock): void {
  test('a window wholly in the past is accepted and COMPLETED', async () => {
    const { client } = await api.tenant()
    const window = await createWindow(client, hourFrom(clock.now(), -HOUR))
    assert.deepEqual([window.status, window.currentOccurrence, window.nextOccurrence], ['COMPLETED', null, null])
  })

  test('a window that has started is IN_PROGRESS at once, and ends to the millisecond', async () => {
    const { client } = await api.tenant()
    const { startsAt, endsAt } = hourFrom(clock.now(), -HOUR / 2)
    const window = await createWindow(client, { startsAt, endsAt })
    assert.deepEqual([window.status, window.currentOccurrence], ['IN_PROGRESS', { startsAt, endsAt }])
    assert.equal(window.nextOccurrence, null)
    clock.advance(HOUR / 2 - 1)
    assert.equal((await currentWindow(client, window.id)).status, 'IN_PROGRESS')
    clock.advance(1)
    assert.equal((await currentWindow(client, window.id)).status, 'COMPLETED')
  })

  test('a recurring window that started long ago is SCHEDULED between its occurrences', async () => {
    const { client } = await api.tenant()
    // 12:00 UTC is 13:00 in Berlin; in July it would be 11:00 UTC.
    const daily = { startsAt: '1999-07-01T10:30Z', endsAt: '1999-07-01T11:30Z', timezone: 'Europe/Berlin' }
    const window = await createWindow(client, { ...daily, recurrence: 'DAILY' })
    const noon = Math.floor(clock.now() / DAY) * DAY + DAY / 2
    const next = { startsAt: text(noon + DAY - HOUR / 2), endsAt: text(noon + DAY + HOUR / 2) }
    assert.partialDeepStrictEqual(window, { status: 'SCHEDULED', currentOccurrence: null, nextOccurrence: next })
    clock.advance(noon + DAY - clock.now())
    const running = await currentWindow(client, window.id)
    assert.partialDeepStrictEqual(running, { status: 'IN_PROGRESS', currentOccurrence: next })
    assert.equal(running.nextOccurrence.startsAt, text(noon + 2 * DAY - HOUR / 2))
  })

  test('a window that is longer than its period is IN_PROGRESS until its last occurrence is over', async () => {
    const { client } = await api.tenant()
    const now = clock.now()
    const window = await createWindow(client, {
      ...hourFrom(now, HOUR, 30 * HOUR),
      recurrence: 'DAILY',
      recurrenceEndsAt: text(now + 2 * DAY),
    })
    assert.equal(window.status, 'SCHEDULED')
    clock.advance(HOUR + 26 * HOUR)
    const running = await currentWindow(client, window.id)
    assert.equal(running.status, 'IN_PROGRESS')
    assert.equal(running.currentOccurrence.startsAt, text(now + 25 * HOUR), 'the one that began last')
    assert.equal(running.nextOccurrence, null)
    clock.advance(28 * HOUR)
    assert.equal((await currentWindow(client, window.id)).status, 'COMPLETED')
  })
}
