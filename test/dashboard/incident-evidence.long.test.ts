import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { check } from '../monitoring/incidents/incidents.ts'
import { startHttpTarget } from '../support/targets.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { createMonitors } from './publishing.ts'

describe('What changed before an incident', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('is on its page: the summary, the values before and after, and the usual and the present phases', async () => {
    await using target = await startHttpTarget()
    const client = dashboard.server.client()
    target.body = '<html><title>Shop</title></html>'
    const { Checkout: monitorId = '' } = await createMonitors(client, target.url, ['Checkout'])
    for (let i = 0; i < 22; i += 1) await check(client, monitorId)
    target.body = '<html><title>Out of stock</title></html>'
    await check(client, monitorId)
    target.status = 503
    await check(client, monitorId)
    const { data } = (await client.get(`/incidents?monitorId=${monitorId}`)).body
    const page = await dashboard.open()
    await page.goto(dashboard.at(`/incidents/${data[0].id}`))
    const section = page.locator('section', { hasText: 'What changed' })
    await section.getByText('from "Shop" to "Out of stock"').first().waitFor()
    await section.getByText('Page title').first().waitFor()
    await section.getByText('Time to first byte').first().waitFor()
    assert.match(await section.first().innerText(), /usually \d+ ms\s+now \d+ ms/)
    await expectAccessible(page, 'incident-evidence')
  })
})
