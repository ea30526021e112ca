import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/lib/clock.ts'
import { publishedPage } from '../../../../src/publishing/public-site/queries/pages.ts'
import { MAX_BARS, type PageView, pageView } from '../../../../src/publishing/public-site/views/page-view.ts'
import { useApi } from '../../../support/api.ts'
import { forEachEngine } from '../../../support/engines.ts'
import type { TestServer } from '../../../support/server.ts'
import { fill } from '../../../support/tables.ts'
import {
  type ApiObject,
  addDailyRollups,
  createMonitor,
  createPage,
  publishIncident,
  setMonitorState,
} from '../fixtures.ts'

async function viewOf(server: TestServer, page: ApiObject, now = Date.now()): Promise<PageView> {
  const view = await server.running.database.read(
    (function* () {
      const row = yield* publishedPage({ slug: page.slug }, { baseUrl: 'http://localhost', requiresDomainProof: false })
      return row && (yield* pageView(row, 'http://localhost', now))
    })(),
  )
  assert.ok(view)
  return view
}

forEachEngine('the view of a page', (engine) => {
  const api = useApi(engine)

  test('has sections, names, statuses and bars; a monitor in two sections counts once', async () => {
    const { client } = await api.tenant()
    const now = Date.now()
    const [shop, api2, idle] = [
      await createMonitor(client, 'Shop'),
      await createMonitor(client, 'API'),
      await createMonitor(client, 'Idle'),
    ]
    await setMonitorState(api.server, shop, 'DOWN', now - MINUTE_MS)
    await setMonitorState(api.server, api2, 'UP', now - MINUTE_MS)
    await setMonitorState(api.server, idle, 'PAUSED', now - MINUTE_MS)
    await addDailyRollups(api.server, shop, 5, now, (back) =>
      back === 2 ? { upMs: DAY_MS - HOUR_MS, downMs: HOUR_MS } : {},
    )
    const sections = [
      { name: 'One', monitors: [{ monitorId: shop, displayName: 'The shop' }, { monitorId: api2 }] },
      { name: 'Two', monitors: [{ monitorId: idle }, { monitorId: shop }] },
    ]
    const view = await viewOf(api.server, await createPage(client, [], { sections, historyDays: 7 }), now)
    assert.deepEqual(
      view.sections.map(({ name, monitors }) => [name, ...monitors.map((m) => `${m.name} ${m.status}`)]),
      [
        ['One', 'The shop MAJOR_OUTAGE', 'API OPERATIONAL'],
        ['Two', 'Idle PAUSED', 'Shop MAJOR_OUTAGE'],
      ],
    )
    assert.equal(view.overall, 'PARTIAL_OUTAGE')
    assert.deepEqual([view.counts.total, view.counts.MAJOR_OUTAGE, view.counts.PAUSED], [3, 1, 1])
    const history = view.sections[0]?.monitors[0]?.history
    assert.deepEqual(
      history?.days.map(({ kind }) => kind),
      ['none', 'up', 'up', 'down', 'up', 'up', 'down'],
    )
    assert.equal(history?.downMs, HOUR_MS + MINUTE_MS)
    assert.equal(history?.upMs, 5 * DAY_MS - HOUR_MS)
  })

  test('missing days between others have no data', async () => {
    const { client } = await api.tenant()
    const now = Date.now()
    const id = await createMonitor(client, 'Gaps')
    await addDailyRollups(api.server, id, 6, now, (back) => (back === 1 || back === 3 ? null : {}))
    const view = await viewOf(api.server, await createPage(client, [id], { historyDays: 7 }), now)
    const days = view.sections[0]?.monitors[0]?.history?.days.map(({ kind }) => kind)
    assert.deepEqual(days, ['up', 'up', 'none', 'up', 'none', 'up', 'none'])
  })

  test('has the same overall status as the API', async () => {
    const { client } = await api.tenant()
    const [a, b] = [await createMonitor(client, 'A'), await createMonitor(client, 'B')]
    const page = await createPage(client, [a, b])
    for (const [first, second] of [
      ['UP', 'UP'],
      ['UP', 'DEGRADED'],
      ['DOWN', 'UP'],
      ['DOWN', 'DOWN'],
      ['DOWN', 'PAUSED'],
    ] as const) {
      await setMonitorState(api.server, a, first, Date.now())
      await setMonitorState(api.server, b, second, Date.now())
      const { body } = await client.get(`/status-pages/${page.id}`)
      assert.equal((await viewOf(api.server, page)).overall, body.overallStatus, `${first} ${second}`)
    }
  })
})

forEachEngine('incidents and maintenance in the view of a page', (engine) => {
  const api = useApi(engine)

  test('has only incidents of this page, and only affected monitors of this page', async () => {
    const { client } = await api.tenant()
    const [shown, hidden] = [await createMonitor(client, 'Shown'), await createMonitor(client, 'Hidden')]
    const [page, other] = [await createPage(client, [shown]), await createPage(client, [hidden])]
    const affectedMonitors = [shown, hidden].map((monitorId) => ({ monitorId, status: 'DEGRADED' }))
    const both = await publishIncident(client, page.id, {
      title: 'Both',
      affectedMonitors,
      statusPageIds: [page.id, other.id],
    })
    await publishIncident(client, other.id, { title: 'Elsewhere' })
    const ended = await publishIncident(client, page.id, { title: 'Ended' })
    await client.post(`/status-incidents/${ended.id}/updates`, { status: 'RESOLVED', message: 'Over.' })
    const view = await viewOf(api.server, page)
    assert.deepEqual(
      view.active.map(({ id, affected }) => [id, affected]),
      [[both.id, [{ monitorId: shown, name: 'Shown', status: 'DEGRADED' }]]],
    )
    assert.deepEqual(
      view.past.map(({ id, updates }) => [id, updates.map(({ state, message }) => `${state}: ${message}`)]),
      [[ended.id, ['RESOLVED: Over.', 'INVESTIGATING: We are looking into it.']]],
    )
    assert.equal(view.sections[0]?.monitors[0]?.status, 'DEGRADED')
  })

  test('leaves out incidents resolved more than two weeks ago, but keeps long ones resolved later', async () => {
    const { client } = await api.tenant()
    const now = Date.now()
    const page = await createPage(client, [await createMonitor(client, 'A')])
    const at = (daysAgo: number): string => new Date(now - daysAgo * DAY_MS).toISOString()
    for (const [title, startedAt] of [
      ['Long', at(30)],
      ['Short', at(2)],
    ]) {
      const { id } = await publishIncident(client, page.id, { title, startedAt })
      await client.post(`/status-incidents/${id}/updates`, { status: 'RESOLVED', message: 'Over.' })
    }
    const titles = async (later: number) => (await viewOf(api.server, page, now + later)).past.map(({ title }) => title)
    assert.deepEqual(await titles(HOUR_MS), ['Short', 'Long'])
    assert.deepEqual(await titles(15 * DAY_MS), [])
  })

  test('has running and upcoming maintenance with the display names of the page', async () => {
    const { client } = await api.tenant()
    const now = Date.now()
    const [a, b] = [await createMonitor(client, 'A'), await createMonitor(client, 'B')]
    await setMonitorState(api.server, a, 'DOWN', now)
    await setMonitorState(api.server, b, 'UP', now)
    const sections = [{ name: 'S', monitors: [{ monitorId: a, displayName: 'Alpha' }, { monitorId: b }] }]
    const page = await createPage(client, [], { sections })
    const [hidden, other] = [await createMonitor(client, 'Hidden'), await createPage(client, [a])]
    const at = (ms: number): string => new Date(now + ms).toISOString()
    const running = { startsAt: at(-HOUR_MS), endsAt: at(HOUR_MS) }
    for (const window of [
      { name: 'Now', monitorIds: [a, hidden], ...running },
      { name: 'Hidden', monitorIds: [hidden], ...running },
      { name: 'Elsewhere', monitorIds: [a], statusPageIds: [other.id], ...running },
      { name: 'Listed', monitorIds: [hidden], statusPageIds: [other.id, page.id], ...running },
      { name: 'Over', allMonitors: true, startsAt: at(-2 * HOUR_MS), endsAt: at(-HOUR_MS) },
      {
        name: 'Daily',
        monitorIds: [b],
        startsAt: at(HOUR_MS - 9 * DAY_MS),
        endsAt: at(2 * HOUR_MS - 9 * DAY_MS),
        recurrence: 'DAILY',
      },
      { name: 'Next', allMonitors: true, startsAt: at(DAY_MS), endsAt: at(DAY_MS + HOUR_MS) },
      { name: 'Far', allMonitors: true, startsAt: at(300 * DAY_MS), endsAt: at(300 * DAY_MS + HOUR_MS) },
    ]) {
      const { status } = await client.post('/maintenance-windows', window)
      assert.equal(status, 201)
    }
    const view = await viewOf(api.server, page, now)
    assert.deepEqual(
      view.maintenance.map(({ window, startsAt, monitors, coversAll }) => [
        window.name,
        startsAt - now,
        coversAll || monitors,
      ]),
      [
        ['Listed', -HOUR_MS, []],
        ['Now', -HOUR_MS, ['Alpha']],
        ['Daily', HOUR_MS, ['B']],
        ['Next', DAY_MS, true],
      ],
    )
    assert.equal(view.overall, 'MAINTENANCE')
    assert.equal(view.sections[0]?.monitors[0]?.status, 'MAINTENANCE')
  })

  test('has no bars for more than MAX_BARS monitors', async () => {
    const { client, orgId } = await api.tenant()
    await fill(api.server, orgId, MAX_BARS + 1)
    const ids: string[] = []
    for (let offset = 0; ids.length <= MAX_BARS; offset += 100) {
      const { body } = await client.get(`/monitors?limit=100&offset=${offset}`)
      ids.push(...body.data.map(({ id }: { id: string }) => id))
    }
    const page = await createPage(client, ids)
    assert.ok((await viewOf(api.server, page)).sections[0]?.monitors.every(({ history }) => history === null))
    await client.delete(`/monitors/${ids[0]}`)
    const view = await viewOf(api.server, page)
    assert.equal(view.counts.total, MAX_BARS)
    assert.ok(view.sections[0]?.monitors.every(({ history }) => history !== null))
  })
})
