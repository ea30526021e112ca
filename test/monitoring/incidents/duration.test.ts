import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts'
import { fetchPage } from '../../publishing/public-site/fixtures.ts'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createPage } from '../../support/status.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { numOf, statsOver } from '../checks/stored-history.ts'
import { check, currentIncident, outage, shaky } from './incidents.ts'

forEachEngine('the start of an incident', (engine) => {
  const api = useApi(engine, { env: { PHAROS_CONFIRM_DELAYS: '2' } })

  test('is that of the first failed try, and its duration is the down time', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await shaky(client, target)
    target.status = 200
    assert.equal((await check(client, id)).state, 'UP')
    target.status = 503
    const before = Date.now()
    const opened = await outage(client, id)
    const monitor = (await client.get(`/monitors/${id}`)).body
    const startedAt = Date.parse(opened.startedAt)
    assert.ok(startedAt >= before, 'not before the check')
    assert.ok(Date.parse(monitor.lastCheckedAt) - startedAt >= 2_000, 'before the repeat')
    assert.deepEqual([opened.firstFailure.at, opened.timeline[0].at], [opened.startedAt, opened.startedAt])
    assert.equal(monitor.lastStatusChangedAt, opened.startedAt)
    target.status = 200
    assert.equal((await check(client, id)).state, 'UP')
    const resolved = await currentIncident(client, opened.id)
    const tookMs = Date.parse(resolved.resolvedAt) - startedAt
    assert.equal(resolved.durationSec, Math.round(tookMs / 1000))
    const { totals } = await statsOver(api.server, await numOf(api.server, id), '24h', Date.now())
    assert.equal(totals.downMs, tookMs)
  })
})

forEachEngine('the duration of an incident', (engine) => {
  const clock = new HandClock(Date.UTC(2026, 2, 2, 9))
  const api = useApi(engine, { clock })
  pauses(api, clock)
})

function pauses(api: Api, clock: HandClock): void {
  test('excludes all pauses and agrees with uptime and status page', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await shaky(client, target, { intervalSeconds: 86_400 })
    const page = await createPage(client, { sections: [{ name: 'All', monitors: [{ monitorId: id }] }] })
    const post = async (action: string) =>
      assert.equal((await client.post(`/monitors/${id}/${action}`, {})).status, 200)
    const opened = await outage(client, id)
    clock.advance(2 * HOUR_MS)
    await post('pause')
    clock.advance(HOUR_MS)
    // A change of a paused monitor does not end the pause.
    assert.equal((await client.patch(`/monitors/${id}`, { timeoutSeconds: 5 })).body.state, 'PAUSED')
    clock.advance(HOUR_MS)
    await post('resume')
    clock.advance(10 * MINUTE_MS)
    await post('pause')
    clock.advance(30 * MINUTE_MS)
    await post('resume')
    clock.advance(MINUTE_MS)
    assert.equal((await check(client, id)).state, 'DOWN')
    assert.equal((await currentIncident(client, opened.id)).durationSec, null)
    clock.advance(HOUR_MS)
    target.status = 200
    assert.equal((await check(client, id)).state, 'UP')
    const resolved = await currentIncident(client, opened.id)
    assert.equal(resolved.durationSec, (3 * HOUR_MS) / 1000)
    const { totals } = await statsOver(api.server, await numOf(api.server, id), '24h', clock.now())
    assert.equal(totals.downMs, 3 * HOUR_MS)
    const { text } = await fetchPage(`${api.server.url}/status/${page.slug}/monitors/${id}`)
    assert.match(text, /3 h(?! \d)/)
    assert.doesNotMatch(text, /5 h 41 min/)
    const listed = await client.get(`/incidents?monitorId=${id}`)
    assert.equal(listed.body.data[0].durationSec, resolved.durationSec)
  })
}
