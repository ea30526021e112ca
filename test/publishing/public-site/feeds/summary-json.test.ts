import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, MINUTE_MS } from '../../../../src/lib/clock.ts'
import { type Api, useApi } from '../../../support/api.ts'
import { HandClock } from '../../../support/clock.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { type ApiObject, createMonitor, createPage, fetchPage, publishIncident, setMonitorState } from '../fixtures.ts'

const iso = (ms: number): string => new Date(ms).toISOString()

const readerOf =
  (url: () => string) =>
  async (page: ApiObject, path = 'summary'): Promise<ApiObject> => {
    const { status, headers, text } = await fetchPage(`${url()}/status/${page.slug}/api/v2/${path}.json`)
    assert.deepEqual([status, headers['content-type']], [200, 'application/json; charset=utf-8'])
    return JSON.parse(text)
  }

type Scene = Awaited<ReturnType<typeof sceneOf>>

/** A page with two monitors, an incident with an update and a planned window, each a minute after the one before. */
async function sceneOf(api: Api, clock: HandClock) {
  const { client } = await api.tenant()
  const first = iso(clock.now())
  const [web, pay] = [await createMonitor(client, 'Website'), await createMonitor(client, 'Payments')]
  const sections = [
    { name: 'Shop', monitors: [{ monitorId: web, displayName: 'Front' }, { monitorId: pay }] },
    { name: 'Again', monitors: [{ monitorId: web }] },
  ]
  const page = await createPage(client, [], { sections, timezone: 'Europe/Berlin' })
  const startsAt = clock.now() + HOUR_MS
  const window = (
    await client.post('/maintenance-windows', {
      name: 'Upgrade',
      description: 'Faster.',
      monitorIds: [pay],
      startsAt: iso(startsAt),
      endsAt: iso(startsAt + HOUR_MS),
    })
  ).body
  clock.advance(MINUTE_MS)
  await setMonitorState(api.server, web, 'UP', clock.now())
  await setMonitorState(api.server, pay, 'DOWN', clock.now())
  const changed = iso(clock.now())
  const incident = await publishIncident(client, page.id, {
    title: 'Cards fail',
    message: 'We fetchPage.',
    impact: 'CRITICAL',
    startedAt: iso(clock.now() - HOUR_MS),
    affectedMonitors: [{ monitorId: pay, status: 'DEGRADED' }],
  })
  clock.advance(MINUTE_MS)
  const update = {
    status: 'MONITORING',
    message: 'Better?',
    affectedMonitors: [{ monitorId: pay, status: 'MAJOR_OUTAGE' }],
  }
  const { updates } = (await client.post(`/status-incidents/${incident.id}/updates`, update)).body
  const last = iso(clock.now())
  return { page, web, pay, window, incident, updates, first, changed, last, startsAt }
}

function componentsOf({ page, web, pay, first, changed }: Scene) {
  const component = {
    description: null,
    showcase: true,
    start_date: '2027-05-06',
    page_id: page.id,
    group: false,
    only_show_if_degraded: false,
    created_at: first,
    group_id: 'section-1',
  }
  const front = { ...component, id: web, name: 'Front', status: 'operational', updated_at: changed, position: 1 }
  const payments = {
    ...component,
    id: pay,
    name: 'Payments',
    status: 'major_outage',
    updated_at: changed,
    position: 2,
  }
  const group = {
    created_at: first,
    updated_at: first,
    description: null,
    showcase: false,
    start_date: null,
    group_id: null,
    page_id: page.id,
    group: true,
    only_show_if_degraded: false,
  }
  const shop = {
    ...group,
    id: 'section-1',
    name: 'Shop',
    status: 'major_outage',
    position: 1,
    components: [web, pay],
  }
  const again = { ...group, id: 'section-2', name: 'Again', status: 'operational', position: 2, components: [web] }
  return { shop, front, payments, again }
}

const affectedBy = ({ pay }: Scene) => ({ code: pay, name: 'Payments' })

function incidentOf(scene: Scene) {
  const { page, incident, updates, changed, last } = scene
  const affected = affectedBy(scene)
  const entry = (i: number, at: string) => ({
    id: updates[i].id,
    incident_id: incident.id,
    created_at: at,
    updated_at: at,
    display_at: at,
  })
  return {
    id: incident.id,
    name: 'Cards fail',
    status: 'monitoring',
    impact: 'critical',
    page_id: page.id,
    created_at: changed,
    updated_at: last,
    monitoring_at: last,
    resolved_at: null,
    shortlink: `${page.url}/incidents/${incident.id}`,
    started_at: incident.startedAt,
    incident_updates: [
      {
        ...entry(0, last),
        status: 'monitoring',
        body: 'Better?',
        affected_components: [{ ...affected, old_status: 'degraded_performance', new_status: 'major_outage' }],
      },
      {
        ...entry(1, changed),
        status: 'investigating',
        body: 'We fetchPage.',
        affected_components: [{ ...affected, old_status: 'operational', new_status: 'degraded_performance' }],
      },
    ],
    components: [componentsOf(scene).payments],
  }
}

function maintenanceOf(scene: Scene) {
  const { page, window, first, startsAt } = scene
  const affected = affectedBy(scene)
  return {
    id: window.id,
    name: 'Upgrade',
    status: 'scheduled',
    impact: 'maintenance',
    page_id: page.id,
    created_at: first,
    updated_at: first,
    monitoring_at: null,
    resolved_at: null,
    shortlink: page.url,
    started_at: window.startsAt,
    scheduled_for: window.startsAt,
    scheduled_until: window.endsAt,
    incident_updates: [
      {
        id: `${window.id}-${startsAt}`,
        incident_id: window.id,
        status: 'scheduled',
        body: 'Faster.',
        created_at: first,
        updated_at: first,
        display_at: first,
        affected_components: [{ ...affected, old_status: 'operational', new_status: 'major_outage' }],
      },
    ],
    components: [componentsOf(scene).payments],
  }
}

forEachEngine('summary.json', (engine) => {
  const clock = new HandClock(Date.UTC(2027, 4, 6, 12))
  const api = useApi(engine, { clock })
  const read = readerOf(() => api.server.url)

  test('every field has the format of the Statuspage API', async () => {
    const scene = await sceneOf(api, clock)
    const { page, last } = scene
    const { shop, front, payments, again } = componentsOf(scene)
    const head = {
      page: { id: page.id, name: 'Acme', url: page.url, time_zone: 'Europe/Berlin', updated_at: last },
      status: { indicator: 'major', description: 'Partial outage' },
    }
    assert.deepEqual(await read(page), {
      ...head,
      components: [shop, front, payments, again],
      incidents: [incidentOf(scene)],
      scheduled_maintenances: [maintenanceOf(scene)],
    })
    assert.deepEqual(await read(page, 'status'), head)
  })
})

forEachEngine('the content of summary.json', (engine) => {
  const clock = new HandClock(Date.UTC(2027, 4, 6, 12))
  const api = useApi(engine, { clock })
  const read = readerOf(() => api.server.url)

  test('leaves out what has ended, marks what is running, and stays the same while nothing changes', async () => {
    const { client } = await api.tenant()
    const id = await createMonitor(client, 'A')
    const page = await createPage(client, [id])
    await setMonitorState(api.server, id, 'UP', clock.now())
    const incident = await publishIncident(client, page.id)
    await client.post(`/status-incidents/${incident.id}/updates`, { status: 'RESOLVED', message: 'Over.' })
    const startsAt = clock.now() - MINUTE_MS
    await client.post('/maintenance-windows', {
      name: 'Now',
      allMonitors: true,
      startsAt: iso(startsAt),
      endsAt: iso(startsAt + 3 * HOUR_MS),
    })
    const { incidents, scheduled_maintenances: windows, components, status } = await read(page)
    assert.deepEqual(incidents, [])
    assert.deepEqual([windows[0].status, windows[0].incident_updates[0].body], ['in_progress', 'Now'])
    assert.deepEqual([components[1].status, components[0].status], ['under_maintenance', 'under_maintenance'])
    assert.deepEqual(status, { indicator: 'maintenance', description: 'Maintenance in progress' })
    const url = `${api.server.url}/status/${page.slug}/api/v2/summary.json`
    const { headers } = await fetchPage(url)
    clock.advance(MINUTE_MS)
    assert.equal((await fetchPage(url, { headers: { 'if-none-match': String(headers.etag) } })).status, 304)
  })

  test('every status has an indicator, and with an active incident it is never none', async () => {
    const { client } = await api.tenant()
    const states = ['UP', 'DEGRADED', 'DOWN', 'PAUSED', 'PENDING'] as const
    const statuses = ['operational', 'degraded_performance', 'major_outage', 'operational', 'operational']
    const indicators = ['none', 'minor', 'critical', 'none', 'none']
    for (const [i, state] of states.entries()) {
      const id = await createMonitor(client, state)
      const page = await createPage(client, [id], { slug: `summary-${engine}-${state.toLowerCase()}` })
      await setMonitorState(api.server, id, state, clock.now())
      const { components, status } = await read(page)
      assert.deepEqual([components[1].status, status.indicator], [statuses[i], indicators[i]], state)
    }
    const id = await createMonitor(client, 'A')
    await setMonitorState(api.server, id, 'UP', clock.now())
    const page = await createPage(client, [id])
    await publishIncident(client, page.id, { impact: 'NONE' })
    assert.equal((await read(page)).status.indicator, 'none')
    await publishIncident(client, page.id, { impact: 'MINOR' })
    assert.deepEqual((await read(page)).status, {
      indicator: 'minor',
      description: '2 ongoing incidents',
    })
  })

  test('monitors that are not on the page are left out', async () => {
    const { client } = await api.tenant()
    const hidden = await createMonitor(client, 'Secret project')
    const page = await createPage(client, [])
    await publishIncident(client, page.id, { affectedMonitors: [{ monitorId: hidden, status: 'MAJOR_OUTAGE' }] })
    const { text } = await fetchPage(`${api.server.url}/status/${page.slug}/api/v2/summary.json`)
    assert.ok(!text.includes(hidden) && !text.includes('Secret'))
    const { incidents } = JSON.parse(text)
    assert.deepEqual([incidents[0].components, incidents[0].incident_updates[0].affected_components], [[], []])
  })
})
