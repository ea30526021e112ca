import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { addDailyRollups, createMonitor, createPage, fetchPage, publishIncident, setMonitorState } from './fixtures.ts'

forEachEngine('the page of a day', (engine) => {
  const clock = new HandClock(Date.UTC(2026, 5, 10, 12))
  const api = useApi(engine, { clock })
  const at = (path: string): string => `${api.server.url}/status/${path}`
  const iso = (ms: number): string => new Date(ms).toISOString()

  test('has the downtime, the incidents and the maintenance of the day, and leads to the days beside it', async () => {
    const { client } = await api.tenant()
    const now = clock.now()
    const [shop, mail] = [await createMonitor(client, 'Shop'), await createMonitor(client, 'Mail')]
    await addDailyRollups(api.server, shop, 20, now, (back) => (back === 2 ? { downMs: 14 * MINUTE_MS } : {}))
    await addDailyRollups(api.server, mail, 20, now, () => ({}))
    const page = await createPage(client, [shop, mail])
    const startedAt = iso(Date.UTC(2026, 5, 6, 20))
    const incident = await publishIncident(client, page.id, {
      title: 'Payments <fail>',
      startedAt,
      affectedMonitors: [{ monitorId: shop, status: 'DEGRADED' }],
    })
    await publishIncident(client, page.id, { title: 'Other day', startedAt: iso(now - HOUR_MS) })
    await client.post(`/status-incidents/${incident.id}/updates`, { status: 'RESOLVED', message: 'Fixed.' })
    const { status, text } = await fetchPage(at(`${page.slug}/days/2026-06-07`))
    assert.equal(status, 200)
    assert.match(text, /<h1>Jun 7, 2026<\/h1>/)
    assert.match(
      text,
      /<bdi>Shop<\/bdi><\/a><\/th>\s*<td[^>]*><span class="state down">.*?Down<\/span><\/td>\s*<td[^>]*>14 min/s,
    )
    assert.doesNotMatch(text, /<bdi>Mail/)
    assert.match(text, /1 other system without issues/)
    assert.match(text, /Payments &lt;fail&gt;/)
    assert.doesNotMatch(text, /Other day/)
    assert.match(text, /rel="prev" href="[^"]*\/days\/2026-06-06"/)
    assert.match(text, /rel="next" href="[^"]*\/days\/2026-06-08"/)
    const calm = (await fetchPage(at(`${page.slug}/days/2026-06-01`))).text
    assert.match(calm, /No issues on this day\./)
    const home = (await fetchPage(at(page.slug))).text
    assert.match(home, /days\/2026-06-07" class="down" data-t="Jun 7, 2026: Down, 14 min\nPayments &lt;fail&gt;"/)
    const own = (await fetchPage(at(`${page.slug}/monitors/${shop}`))).text
    assert.equal(own.match(/<th scope="row"><a href="[^"]*\/days\//g)?.length, 90, 'every day is in the table')
  })

  test('has the present day, with what is not in the roll-ups yet', async () => {
    const { client } = await api.tenant()
    const id = await createMonitor(client, 'Shop')
    await setMonitorState(api.server, id, 'DOWN', clock.now() - 2 * MINUTE_MS)
    const page = await createPage(client, [id])
    const window = {
      name: 'Upgrade',
      monitorIds: [id],
      startsAt: iso(clock.now() + HOUR_MS),
      endsAt: iso(clock.now() + 2 * HOUR_MS),
    }
    assert.equal((await client.post('/maintenance-windows', window)).status, 201)
    const { text } = await fetchPage(at(`${page.slug}/days/2026-06-10`))
    assert.match(text, /Down<\/span><\/td>\s*<td[^>]*>2 min/)
    assert.match(text, /<bdi>Upgrade<\/bdi>/)
    assert.doesNotMatch(text, /rel="next"/)
  })

  test('exists for the days that the page shows, and nothing else', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [], { historyDays: 7 })
    const statusOf = async (date: string) => (await fetchPage(at(`${page.slug}/days/${date}`))).status
    assert.equal(await statusOf('2026-06-04'), 200)
    assert.equal(await statusOf('2026-06-10'), 200)
    for (const date of ['2026-06-03', '2026-06-11', '2026-02-30', '2026-6-9', 'today', '2026-06-09x', '']) {
      assert.equal(await statusOf(date), 404, date)
    }
  })

  test('on a phone the caption names the days that are shown, with their uptime', async () => {
    const { client } = await api.tenant()
    const id = await createMonitor(client, 'Shop')
    await addDailyRollups(api.server, id, 89, clock.now(), (back) => (back === 60 ? { downMs: DAY_MS / 2 } : {}))
    const page = await createPage(client, [id])
    const { text } = await fetchPage(at(page.slug))
    assert.match(text, /class="caption all-days"><span>Last 90 days<\/span><span><b>99\.43% uptime/)
    assert.match(text, /class="caption phone-days"><span>Last 45 days<\/span><span><b>100% uptime/)
  })
})
