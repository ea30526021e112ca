import { describe, test } from 'node:test'
import { storeChecks } from '../monitoring/check-results/store-checks.ts'
import { numOf } from '../monitoring/checks/stored-history.ts'
import { createMonitor } from '../support/monitors.ts'
import { startHttpTarget } from '../support/targets.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('The check log of a monitor', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('lists stored checks with their reasons, by result, and loads older ones', async () => {
    await using target = await startHttpTarget()
    const { server } = dashboard
    const client = server.client()
    const { id } = await createMonitor(client, { name: 'Shop', type: 'HTTP', url: target.url, intervalSeconds: 3600 })
    for (const status of [200, 503, 200]) {
      target.status = status
      await client.post(`/monitors/${id}/check`, {})
    }
    const at = Date.now() + 1_000
    const reason = 'No connection to the network: none of the test addresses can be reached'
    await storeChecks(server.running.database, await numOf(server, id), [
      ...Array.from({ length: 60 }, (_, i) => ({
        at: at - 3_600_000 - (59 - i) * 60_000,
        state: 'DOWN' as const,
        responseMs: 84,
        causeCode: 'STATUS',
        error: `HTTP 500 Internal Server Error (expected 200), try ${59 - i}`,
      })),
      { at, state: 'INCONCLUSIVE', responseMs: null, causeCode: null, error: reason },
    ])
    const page = await dashboard.open()
    await page.goto(dashboard.at(`/monitors/${id}`))
    const log = page.getByRole('list', { name: 'Checks' })
    await log.getByText(reason).waitFor()
    await page.getByRole('region', { name: 'Status' }).getByText(reason).waitFor()
    await log.getByText('HTTP 503 Service Unavailable').waitFor()
    await expectAccessible(page, 'monitor-checks')
    await page.getByLabel('Result').selectOption('Down')
    await page.waitForURL(/checks=DOWN/)
    await log.getByText(reason).waitFor({ state: 'detached' })
    await log.getByText('try 0').waitFor()
    await page.getByRole('button', { name: 'Show older' }).click()
    await log.getByText('try 59').waitFor()
    await expectAccessible(page, 'monitor-checks-down')
  })
})
