import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { flappingAt } from '../../dashboard/src/lib/flapping.ts'
import { MINUTE_MS } from '../../src/lib/clock.ts'
import { setMonitorState } from '../publishing/public-site/fixtures.ts'
import { createMonitor } from '../support/monitors.ts'
import { useDashboard, withoutBrowser } from './dashboard.ts'
import { pastIncident } from './past-results.ts'

const now = Date.parse('2026-03-02T12:00:00Z')
const outage = (id: string, minutesAgo: number) => ({
  monitor: { id, name: id },
  startedAt: new Date(now - minutesAgo * MINUTE_MS).toISOString(),
})

test('a monitor flaps if it went down three times within 20 minutes', () => {
  const incidents = [1, 5, 19, 21].map((ago) => outage('shop', ago)).concat([2, 3].map((ago) => outage('mail', ago)))
  assert.deepEqual([...flappingAt(now, incidents)], [['shop', { outages: 3, since: outage('shop', 19).startedAt }]])
  assert.equal(flappingAt(now + 2 * MINUTE_MS, incidents).size, 0)
})

describe('A monitor that flaps', { skip: withoutBrowser }, () => {
  // No checks: its past is given.
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })

  test('is marked in the list and on its page, and stands once among the resolved incidents', async () => {
    const { server } = dashboard
    const client = server.client()
    const { id } = await createMonitor(client, { name: 'Recommendations', type: 'CRON' })
    const { id: calm } = await createMonitor(client, { name: 'Shop', type: 'CRON' })
    const at = Date.now()
    await pastIncident(server, calm, at - 30 * MINUTE_MS, MINUTE_MS)
    for (let i = 6; i > 0; i -= 1) await pastIncident(server, id, at - i * 2 * MINUTE_MS, MINUTE_MS)
    await setMonitorState(server, id, 'UP', at - MINUTE_MS)
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    const row = page.locator('tr[data-id]').filter({ hasText: 'Recommendations' })
    await row.getByText('Flapping').waitFor()
    assert.equal(await page.getByText('Flapping').count(), 1)
    await page.goto(dashboard.at(`/monitors/${id}`))
    await page.getByText('Down 6 times in 12 min').waitFor()
    await page.getByRole('link', { name: 'Require more successes until recovered' }).waitFor()
    await page.goto(dashboard.at('/'))
    const resolved = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Recently resolved' }) })
    await resolved.getByText('× 6').waitFor()
    assert.deepEqual(await resolved.locator('[data-row]').allTextContents(), ['Recommendations', 'Shop'])
  })
})
