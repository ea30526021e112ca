import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { createMonitor, current } from '../support/monitors.ts'
import { startTestServer } from '../support/server.ts'
import { useHttpTarget } from '../support/targets.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('Live updates', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const target = useHttpTarget()
  let id: string
  before(async () => {
    const client = dashboard.server.client()
    id = (await createMonitor(client, { name: 'Checkout', type: 'HTTP', url: target.url })).id
    await createMonitor(client, { name: 'Backup', type: 'CRON' })
    await eventually(async () => assert.equal((await current(client, id)).state, 'UP'))
  })

  test('an outage is shown as down, acknowledged and resolved without a reload', async () => {
    const client = dashboard.server.client()
    const [overview, monitor, list] = await Promise.all([dashboard.open(), dashboard.open(), dashboard.open()])
    await overview.goto(dashboard.at('/'))
    await overview.getByText('All up so far, 1 monitor not checked yet.').waitFor()
    await monitor.goto(dashboard.at(`/monitors/${id}`))
    await monitor.getByText(/^Responded in/).waitFor()
    await list.goto(dashboard.at('/incidents'))
    await list.getByText('No ongoing incidents').waitFor()
    const windows = [overview, monitor, list]
    for (const page of windows) await page.evaluate('window.isTheSame = true')

    target.status = 503
    target.body = 'Out of order'
    await client.post(`/monitors/${id}/check`, {})
    await overview.getByText(/^Checkout is down \(/).waitFor()
    await monitor
      .getByText(/^HTTP 503 Service Unavailable/)
      .first()
      .waitFor()
    await list.getByText('1 incident ongoing.').waitFor()

    await list.getByRole('link', { name: 'Checkout' }).click()
    await list.getByText('Not acknowledged yet.').waitFor()
    await list.getByText('Out of order').waitFor()
    await list.getByRole('button', { name: 'Acknowledge' }).click()
    await list.getByText(/^Acknowledged by .+ on /).waitFor()
    await overview.getByText(/^Acknowledged by /).waitFor()
    const { data } = (await client.get('/incidents')).body
    assert.equal(data[0].acknowledged, true)

    await client.post(`/monitors/${id}/check`, {})
    await list.getByText('Last of 2 failed checks').waitFor()
    await list.getByRole('heading', { name: 'Last failure' }).waitFor()
    const publish = list.getByRole('link', { name: 'Publish to status page' })
    assert.match(
      (await publish.getAttribute('href')) as string,
      /\/published\/new\?incidentId=inc_\w+&monitorId=mon_\w+$/,
    )

    target.status = 200
    await client.post(`/monitors/${id}/check`, {})
    await list.getByText(/^after /).waitFor()
    await monitor.getByText(/^Responded in/).waitFor()
    await overview.getByText('No ongoing incidents').first().waitFor()
    for (const page of windows) assert.equal(await page.evaluate('window.isTheSame'), true)
    await expectAccessible(list, 'incident-resolved')
  })

  test('an incident can be acknowledged from the overview', async () => {
    const client = dashboard.server.client()
    target.status = 500
    await client.post(`/monitors/${id}/check`, {})
    const page = await dashboard.open()
    await page.goto(dashboard.at('/'))
    await page.getByRole('button', { name: 'Acknowledge Checkout incident' }).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('a')
    await page
      .getByText(/^Acknowledged by /)
      .first()
      .waitFor()
    assert.equal((await client.get('/incidents?status=ONGOING')).body.data[0].acknowledged, true)
    target.status = 200
    await client.post(`/monitors/${id}/check`, {})
  })

  test('rows keep their order while the pointer is over the list', async () => {
    const client = dashboard.server.client()
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    const rows = page.locator('[data-row]')
    await rows.nth(1).waitFor()
    assert.deepEqual(await rows.allTextContents(), ['Backup', 'Checkout'])
    await rows.nth(0).hover()
    target.status = 503
    await client.post(`/monitors/${id}/check`, {})
    await page.getByRole('row').filter({ hasText: 'Checkout' }).getByText('Down').waitFor()
    assert.deepEqual(await rows.allTextContents(), ['Backup', 'Checkout'])
    await page.mouse.move(5, 5)
    await eventually(async () => assert.deepEqual(await rows.allTextContents(), ['Checkout', 'Backup']))
    target.status = 200
    await client.post(`/monitors/${id}/check`, {})
  })
})

describe('When the event stream is rejected', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('it is requested again, and missed changes are shown', async () => {
    const page = await dashboard.open()
    const isEvents = (url: URL) => url.pathname === '/app/api/events'
    await page.route(isEvents, (route) => route.fulfill({ status: 429, json: {} }))
    await page.goto(dashboard.at('/monitors'))
    await page
      .getByText(/^Reconnecting\. Data from/)
      .first()
      .waitFor()
    await page.getByText('No monitors yet').waitFor()
    await createMonitor(dashboard.server.client(), { name: 'Backup', type: 'CRON' })
    await page.unroute(isEvents)
    await page.getByText('Live', { exact: true }).first().waitFor()
    await page.getByRole('link', { name: 'Backup' }).waitFor()
  })
})

describe('When the server is unreachable', { skip: withoutBrowser }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'pharos-away-'))
  const dashboard = useDashboard({ dataDir })
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  test('the screen stays, shows the lost connection, and recovers', async () => {
    const { server } = dashboard
    await createMonitor(server.client(), { name: 'Backup', type: 'CRON' })
    const page = await openQuietly(dashboard)
    await page.goto(dashboard.at('/monitors'))
    await page.getByText('Live', { exact: true }).first().waitFor()
    await page.getByRole('link', { name: 'Backup' }).waitFor()
    const port = new URL(server.url).port
    await server.stop()
    await page
      .getByText(/^Reconnecting\. Data from/)
      .first()
      .waitFor()
    assert.ok(await page.getByRole('link', { name: 'Backup' }).isVisible(), 'what was known stays')
    // Something that was not asked before.
    await page.getByRole('searchbox').fill('back')
    await page
      .getByRole('alert')
      .getByText('Can’t reach the server. Check that it is running, then try again.')
      .waitFor()
    await expectAccessible(page, 'monitors-unreachable')
    // A screen whose code was not fetched before.
    await page.getByRole('link', { name: 'Incidents' }).first().click()
    await page.getByText('This page could not be loaded').waitFor()
    await expectAccessible(page, 'screen-unreachable')
    await page.goBack()
    await page
      .getByRole('alert')
      .getByText('Can’t reach the server. Check that it is running, then try again.')
      .waitFor()

    const again = await startTestServer('sqlite', { dataDir, env: { PORT: port } })
    try {
      // Where the stream is back sooner than a finger, there is nothing left to retry.
      await page
        .getByRole('button', { name: 'Retry' })
        .click({ timeout: 2_000 })
        .catch(() => undefined)
      await page.getByRole('link', { name: 'Backup' }).waitFor()
      await page.getByText('Live', { exact: true }).first().waitFor()
    } finally {
      await page.close()
      await again.stop()
    }
  })
})

describe('Without a network', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const target = useHttpTarget()

  test('a banner says so, durations stop, and the error of an action goes away with the reconnect', async () => {
    const client = dashboard.server.client()
    const { id } = await createMonitor(client, { name: 'Checkout', type: 'HTTP', url: target.url })
    target.status = 503
    await client.post(`/monitors/${id}/check`, {})
    const page = await openQuietly(dashboard)
    await page.clock.install()
    await page.goto(dashboard.at('/'))
    await page.getByText('Live', { exact: true }).first().waitFor()
    const summary = page.getByRole('heading', { level: 1 })
    await summary.getByText(/^Checkout is down/).waitFor()
    await page.context().setOffline(true)
    await page.clock.runFor(3_000)
    await page.getByText(/^You are offline\. Data from /).waitFor()
    const shown = await summary.innerText()
    await page.clock.runFor(5 * 60_000)
    assert.equal(await summary.innerText(), shown)
    await page.getByRole('button', { name: 'Acknowledge Checkout incident' }).click()
    const error = page.getByRole('alert').getByText(/^Can’t reach the server/)
    await error.waitFor()
    await page.context().setOffline(false)
    for (let i = 0; i < 5; i += 1) await page.clock.runFor(2_000)
    await page.getByText('Live', { exact: true }).first().waitFor()
    await error.waitFor({ state: 'detached' })
    await page.getByText(/^You are offline/).waitFor({ state: 'detached' })
    await eventually(async () => assert.notEqual(await summary.innerText(), shown))
    await page.close()
  })
})

/** A window whose console may complain: the browser tells of every connection that fails. */
async function openQuietly(dashboard: ReturnType<typeof useDashboard>): Promise<Page> {
  const context = await dashboard.browser.newContext({ viewport: { width: 1280, height: 900 } })
  const [name = '', value = ''] = (dashboard.owner.cookie ?? '').split('=', 2)
  await context.addCookies([{ name, value, domain: 'localhost', path: '/' }])
  return context.newPage()
}
