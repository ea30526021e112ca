import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { fillWorkspace } from './sample-workspace.ts'

interface Scene {
  readonly dashboard: Dashboard
  page: Page
  ids: Record<string, string>
}

describe('The look of overview, monitors and incidents', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const stack = new AsyncDisposableStack()
  const scene = { dashboard } as Scene
  before(async () => {
    scene.ids = await fillWorkspace(dashboard, stack)
    scene.page = await dashboard.open()
  })
  after(() => stack.disposeAsync())
  formsAndIncidents(scene)
  overviewAndMonitors(scene)
})

function formsAndIncidents(scene: Scene): void {
  test('the form of each type', async () => {
    const { page, dashboard, ids } = scene
    for (const type of ['HTTP', 'KEYWORD', 'PING', 'PORT', 'CRON', 'DNS', 'SSL', 'DOMAIN']) {
      await page.goto(dashboard.at(`/monitors/new?type=${type}`))
      await page.getByRole('button', { name: 'Create monitor' }).waitFor()
      await page.getByRole('group', { name: /Alert contacts/ }).waitFor()
      await page.getByText('Advanced').click()
      await expectAccessible(page, `form-${type.toLowerCase()}`)
    }
    await page.goto(dashboard.at(`/monitors/${ids.shop}/edit`))
    await page.getByRole('button', { name: 'Run test' }).click()
    await page.getByText('HTTP 200').waitFor()
    await page.getByRole('button', { name: 'Copy as curl' }).scrollIntoViewIfNeeded()
    await expectAccessible(page, 'form-edit')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText(/^Copied\. Set PHAROS_API_KEY/).waitFor()
    await page.context().grantPermissions(['clipboard-read'])
    assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), /^curl -X PATCH 'http/)
    // A browser that does not allow copying.
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(); document.execCommand = () => false')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('curl -X PATCH').waitFor()
    await expectAccessible(page, 'form-curl')
  })

  test('incidents, open and past', async () => {
    const { page, dashboard, ids } = scene
    await page.goto(dashboard.at('/incidents'))
    await page.getByText('1 incident ongoing.').waitFor()
    await expectAccessible(page, 'incidents')
    await page.getByRole('button', { name: 'All' }).click()
    await page.getByText('3 incidents, newest first.').waitFor()
    await expectAccessible(page, 'incidents-all')
    await page.getByLabel('Monitor').fill('Sho')
    await page.locator('datalist option[value="Shop"]').waitFor({ state: 'attached' })
    await page.getByLabel('Monitor').fill('Shop')
    await page.waitForURL(new RegExp(`monitorId=${ids.shop}`))
    await page.getByText('No matching incidents').waitFor()
    await expectAccessible(page, 'incidents-none')
    await page.goto(dashboard.at('/incidents'))
    await page.getByRole('link', { name: 'Checkout' }).click()
    await page.getByRole('heading', { name: 'Checkout is down' }).waitFor()
    await page.getByText('upstream connect error').first().waitFor()
    await expectAccessible(page, 'incident')
  })

  test('missing resources show Not found', async () => {
    const { page, dashboard } = scene
    await page.goto(dashboard.at('/monitors/mon_nowhere'))
    await page.getByText('Monitor not found').waitFor()
    await expectAccessible(page, 'monitor-missing')
    await page.goto(dashboard.at('/incidents/inc_nowhere'))
    await page.getByText('Incident not found').waitFor()
    await expectAccessible(page, 'incident-missing')
  })
}

function overviewAndMonitors(scene: Scene): void {
  test('the overview begins with the current status', async () => {
    const { page, dashboard } = scene
    await page.goto(dashboard.at('/'))
    const heading = page.getByRole('heading', { level: 1 })
    await heading.getByText('Checkout is down (').waitFor()
    await page.getByRole('link', { name: 'Database upgrade' }).waitFor()
    await page.getByText('shop.example certificate').first().waitFor()
    await expectAccessible(page, 'overview')
  })

  test('the list puts problems first', async () => {
    const { page, dashboard } = scene
    await page.goto(dashboard.at('/monitors'))
    await page.getByRole('link', { name: 'Checkout' }).waitFor()
    const names = await page.locator('[data-row]').allTextContents()
    assert.deepEqual(names.slice(0, 2), ['Checkout', 'Search'])
    assert.equal(names.at(-1), 'Old blog')
    await expectAccessible(page, 'monitors')
    await page.getByRole('checkbox', { name: 'Select Shop', exact: true }).check()
    await page.getByText('1 monitor selected').waitFor()
    await expectAccessible(page, 'monitors-selected')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Delete 1 monitor?' }).waitFor()
    await expectAccessible(page, 'monitors-delete')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('nothing is called so')
    await page.getByText('No matching monitors').waitFor()
    await expectAccessible(page, 'monitors-no-match')
  })

  test('a monitor shows since when it is down and why', async () => {
    const { page, dashboard, ids } = scene
    await page.goto(dashboard.at(`/monitors/${ids.checkout}`))
    await page.locator('text=HTTP 503 Service Unavailable >> nth=0').waitFor()
    await page
      .getByRole('img', { name: /median/ })
      .locator('canvas')
      .waitFor({ state: 'attached' })
    await expectAccessible(page, 'monitor-down')
    await page.getByRole('button', { name: '7 d', exact: true }).click()
    await page.getByText('Last 7 d').first().waitFor()
    await expectAccessible(page, 'monitor-7d')
    await page.getByRole('button', { name: 'Table' }).click()
    await page.getByRole('columnheader', { name: 'Median' }).waitFor()
    await expectAccessible(page, 'monitor-table')
  })

  test('a monitor shows whether it is up, degraded or paused', async () => {
    const { page, dashboard, ids } = scene
    await page.goto(dashboard.at(`/monitors/${ids.shop}?span=30d`))
    await page.getByText('No downtime').first().waitFor()
    await page.getByRole('button', { name: 'Run test' }).click()
    await page.getByText('HTTP 200').waitFor()
    await expectAccessible(page, 'monitor-up')
    await page.goto(dashboard.at(`/monitors/${ids.search}`))
    await page.getByText('The last check took longer than 20 ms.').waitFor()
    await page.getByText('Search index rebuild').waitFor()
    await expectAccessible(page, 'monitor-maintenance')
    await page.goto(dashboard.at(`/monitors/${ids.paused}`))
    await page.getByText('Checks and alerts are paused.').waitFor()
    await expectAccessible(page, 'monitor-paused')
    await page.goto(dashboard.at(`/monitors/${ids.certificate}`))
    await page.getByText(/Expires in 1\d d/).waitFor()
    await expectAccessible(page, 'monitor-certificate')
    await page.goto(dashboard.at(`/monitors/${ids.long}`))
    await page.getByRole('heading', { level: 1, name: /^A service with a very long name/ }).waitFor()
    await expectAccessible(page, 'monitor-long-name')
  })

  test('the deletion dialog of a monitor lists what else is deleted', async () => {
    const { page, dashboard, ids } = scene
    const sections = [{ name: 'Shop', monitors: [{ monitorId: ids.checkout }] }]
    await dashboard.server.client().post('/status-pages', { name: 'Acme status', sections })
    await page.goto(dashboard.at(`/monitors/${ids.checkout}`))
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: 'Delete Checkout?' }).waitFor()
    await dialog.getByText('3 incidents').waitFor()
    await dialog.getByText('its entry on Acme status').waitFor()
    await expectAccessible(page, 'monitor-delete')
    await page.route('**/app/api/v1/monitors/bulk', (route) =>
      route.fulfill({ status: 422, json: { error: { code: 'conflict', message: 'It is busy', requestId: 'req_1' } } }),
    )
    await dialog.getByRole('button', { name: 'Delete monitor' }).click()
    await page.getByText('Checkout not deleted. It is busy').waitFor()
    await expectAccessible(page, 'monitor-delete-refused')
    await page.unroute('**/app/api/v1/monitors/bulk')
  })

  test('a cron job shows its heartbeat URL and the output of its runs', async () => {
    const { page, dashboard, ids } = scene
    await page.goto(dashboard.at(`/monitors/${ids.backup}`))
    await page.getByText('Success', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Crontab' }).click()
    await page.getByText('0 3 * * * /path/to/job && curl').waitFor()
    await expectAccessible(page, 'monitor-cron')
  })
}
