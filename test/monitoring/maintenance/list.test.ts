import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, type Tenant, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { type Body, createWindow, currentWindow, DAY, HOUR, hourFrom, text } from '../../support/maintenance.ts'
import { createMonitor, type MonitorBody, smallest } from '../../support/monitors.ts'
import { bodyOf } from '../../support/server.ts'

async function withWindows(api: Api, bodies: readonly Body[]): Promise<Tenant & { windows: Body[] }> {
  const tenant = await api.tenant()
  const windows: Body[] = []
  for (const body of bodies) windows.push(await createWindow(tenant.client, body))
  return { ...tenant, windows }
}

async function ids({ client }: Tenant, filter: string): Promise<string[]> {
  const { status, body } = await client.get(`/maintenance-windows?limit=100&${filter}`)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.pagination.total, body.data.length)
  return body.data.map(({ id }: Body) => id)
}

forEachEngine('GET /maintenance-windows', (engine) => {
  const clock = new HandClock(Date.UTC(2026, 0, 5, 12))
  const api = useApi(engine, { clock })
  filters(api, clock)
  byWhatIsCovered(api)
})

function filters(api: Api, clock: HandClock): void {
  test('status follows the clock even before the scheduler has applied a transition', async () => {
    const now = clock.now()
    const tenant = await withWindows(api, [
      hourFrom(now, HOUR),
      hourFrom(now, -HOUR / 2),
      hourFrom(now, -2 * HOUR),
      { ...hourFrom(now, HOUR), recurrence: 'DAILY' },
    ])
    const [later, running, over, daily] = tenant.windows.map(({ id }) => id)
    const found = async () => [
      await ids(tenant, 'status=SCHEDULED'),
      await ids(tenant, 'status=IN_PROGRESS'),
      await ids(tenant, 'status=COMPLETED'),
    ]
    assert.deepEqual(await found(), [[later, daily], [running], [over]])
    // No node with the role of the scheduler runs here.
    clock.advance(1.5 * HOUR)
    assert.deepEqual(await found(), [[], [later, daily], [running, over]])
    clock.advance(HOUR)
    assert.deepEqual(await found(), [[daily], [], [later, running, over]])
    for (const id of [later, running, over, daily] as string[]) {
      const { status } = await currentWindow(tenant.client, id)
      assert.ok((await ids(tenant, `status=${status}`)).includes(id))
    }
  })

  test('startsAfter and startsBefore are exclusive, and combine with the other filters', async () => {
    const now = clock.now()
    const tenant = await withWindows(api, [hourFrom(now, DAY), hourFrom(now, 2 * DAY), hourFrom(now, 3 * DAY)])
    const [first, second, third] = tenant.windows.map(({ id }) => id)
    const at = (ms: number) => encodeURIComponent(text(now + ms))
    assert.deepEqual(await ids(tenant, `startsAfter=${at(DAY)}`), [second, third])
    assert.deepEqual(await ids(tenant, `startsAfter=${at(DAY - 1)}`), [first, second, third])
    assert.deepEqual(await ids(tenant, `startsBefore=${at(2 * DAY)}`), [first])
    assert.deepEqual(await ids(tenant, `startsAfter=${at(DAY)}&startsBefore=${at(3 * DAY)}&status=SCHEDULED`), [second])
    assert.deepEqual(await ids(tenant, `startsAfter=${at(DAY)}&status=COMPLETED`), [])
  })
}

async function createPage({ client }: Tenant, monitors: readonly MonitorBody[]): Promise<string> {
  const sections = [{ name: 'All', monitors: monitors.map(({ id }) => ({ monitorId: id })) }]
  return bodyOf(await client.post('/status-pages', { name: 'Status', sections }), 201).id
}

function byWhatIsCovered(api: Api): void {
  test('by monitor: windows that list it, and those that cover all', async () => {
    const tenant = await api.tenant()
    const [a, b] = [
      await createMonitor(tenant.client, smallest('CRON')),
      await createMonitor(tenant.client, smallest('CRON')),
    ]
    const over = (...of: MonitorBody[]) =>
      createWindow(tenant.client, { allMonitors: false, monitorIds: of.map(({ id }) => id) })
    const windows = [await over(a), await over(b), await over(b, a), await createWindow(tenant.client)]
    const [onA, onB, onBoth, onAll] = windows.map(({ id }) => id)
    assert.deepEqual(await ids(tenant, `monitorId=${a.id}`), [onA, onBoth, onAll])
    assert.deepEqual(await ids(tenant, `monitorId=${b.id}`), [onB, onBoth, onAll])
    const other = await api.tenant()
    const foreign = await createMonitor(other.client, smallest('CRON'))
    assert.deepEqual(await ids(tenant, `monitorId=${foreign.id}`), [])
    assert.deepEqual(await ids(tenant, 'monitorId=mon_x'), [])
  })

  test('by page: windows that list it, and those that list no page and cover a monitor on it', async () => {
    const tenant = await api.tenant()
    const { client } = tenant
    const [a, b] = [await createMonitor(client, smallest('CRON')), await createMonitor(client, smallest('CRON'))]
    const [withA, withB, empty] = [
      await createPage(tenant, [a]),
      await createPage(tenant, [b]),
      await createPage(tenant, []),
    ]
    const window = async (extra: Body) => (await createWindow(client, { allMonitors: false, ...extra })).id
    const onA = await window({ monitorIds: [a.id] })
    const onAForB = await window({ monitorIds: [a.id], statusPageIds: [withB] })
    const onAll = await window({ allMonitors: true })
    const onAllForNone = await window({ allMonitors: true, statusPageIds: [empty] })
    assert.deepEqual(await ids(tenant, `statusPageId=${withA}`), [onA, onAll])
    assert.deepEqual(await ids(tenant, `statusPageId=${withB}`), [onAForB, onAll])
    assert.deepEqual(await ids(tenant, `statusPageId=${empty}`), [onAllForNone])
    assert.deepEqual(await ids(tenant, 'statusPageId=page_x'), [])
    assert.deepEqual(await ids(tenant, `statusPageId=${withA}&monitorId=${b.id}`), [onAll])
  })
}
