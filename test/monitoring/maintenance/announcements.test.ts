import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { changedWindow, createWindow, DAY, HOUR, hourFrom, text } from '../../support/maintenance.ts'
import type { Client } from '../../support/server.ts'
import { sentEvents } from '../../support/webhooks.ts'
import { clientWithEndpoint, eventSummaries } from './fixtures.ts'

const cases: readonly [what: string, run: (client: Client, clock: HandClock) => Promise<unknown>, events: string[]][] =
  [
    [
      'a window that has begun is announced as planned and as started',
      (client, clock) => createWindow(client, hourFrom(clock.now(), -HOUR / 2)),
      ['scheduled IN_PROGRESS', 'started IN_PROGRESS'],
    ],
    [
      'one that is over is announced as created',
      (client, clock) => createWindow(client, hourFrom(clock.now(), -DAY)),
      ['scheduled COMPLETED'],
    ],
    [
      'a new time is announced, a new name is not',
      async (client, clock) => {
        const { id } = await createWindow(client, hourFrom(clock.now(), HOUR))
        await changedWindow(client, id, { name: 'Other', description: 'x', allMonitors: true })
        await changedWindow(client, id, hourFrom(clock.now(), 2 * HOUR))
      },
      ['scheduled SCHEDULED', 'scheduled SCHEDULED'],
    ],
    [
      'one that is postponed while it runs is announced as completed and as planned again',
      async (client, clock) => {
        const { id } = await createWindow(client, hourFrom(clock.now(), -HOUR / 2))
        await changedWindow(client, id, hourFrom(clock.now(), 2 * HOUR))
      },
      ['scheduled IN_PROGRESS', 'started IN_PROGRESS', 'completed SCHEDULED', 'scheduled SCHEDULED'],
    ],
    [
      'one that is ended early is announced as completed',
      async (client, clock) => {
        const { id } = await createWindow(client, hourFrom(clock.now(), -HOUR / 2))
        await changedWindow(client, id, { endsAt: text(clock.now()) })
      },
      ['scheduled IN_PROGRESS', 'started IN_PROGRESS', 'completed COMPLETED'],
    ],
    [
      'one that is made longer while it runs does not begin again',
      async (client, clock) => {
        const { id } = await createWindow(client, hourFrom(clock.now(), -HOUR / 2))
        await changedWindow(client, id, { endsAt: text(clock.now() + 5 * HOUR) })
      },
      ['scheduled IN_PROGRESS', 'started IN_PROGRESS', 'scheduled IN_PROGRESS'],
    ],
    [
      'one that is brought forward begins at once',
      async (client, clock) => {
        const { id } = await createWindow(client, hourFrom(clock.now(), HOUR))
        await changedWindow(client, id, { startsAt: text(clock.now() - 1) })
      },
      ['scheduled SCHEDULED', 'scheduled IN_PROGRESS', 'started IN_PROGRESS'],
    ],
    [
      'a start that is not announced yet is announced before the change',
      async (client, clock) => {
        const { id } = await createWindow(client, hourFrom(clock.now(), HOUR))
        clock.advance(1.5 * HOUR)
        await changedWindow(client, id, { endsAt: text(clock.now() - 0.3 * HOUR) })
      },
      ['scheduled SCHEDULED', 'started IN_PROGRESS', 'completed COMPLETED'],
    ],
    [
      'one that is deleted before its end is announced as cancelled, planned or running',
      async (client, clock) => {
        for (const window of [
          await createWindow(client, hourFrom(clock.now(), HOUR)),
          await createWindow(client, hourFrom(clock.now(), 0)),
        ]) {
          await client.delete(`/maintenance-windows/${window.id}`)
        }
      },
      [
        'scheduled SCHEDULED',
        'scheduled IN_PROGRESS',
        'started IN_PROGRESS',
        'cancelled SCHEDULED',
        'cancelled IN_PROGRESS',
      ],
    ],
    [
      'the deletion of one that is over is not announced',
      async (client, clock) => {
        const { id } = await createWindow(client, hourFrom(clock.now(), -DAY))
        await client.delete(`/maintenance-windows/${id}`)
      },
      ['scheduled COMPLETED'],
    ],
  ]

forEachEngine('changes by users', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  for (const [what, run, events] of cases) {
    test(what, async () => {
      const client = await clientWithEndpoint(api)
      await run(client, clock)
      assert.deepEqual(await eventSummaries(client), events)
    })
  }

  test('the event contains the window as the API returned it', async () => {
    const client = await clientWithEndpoint(api)
    const times = hourFrom(clock.now(), HOUR)
    const created = await createWindow(client, { ...times, recurrence: 'WEEKLY', description: 'ü "x" \u2028' })
    const moved = await changedWindow(client, created.id, hourFrom(clock.now(), 2 * HOUR))
    await client.delete(`/maintenance-windows/${created.id}`)
    const events = await sentEvents(client)
    assert.deepEqual(
      events.map(({ data }) => data),
      [created, moved, moved],
    )
  })
})
