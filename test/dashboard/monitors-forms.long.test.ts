import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { fillWorkspace } from './sample-workspace.ts'

describe('The look of forms and incidents', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const stack = new AsyncDisposableStack()
  let ids: Record<string, string>
  let page: Page
  before(async () => {
    if (withoutBrowser) return
    ids = await fillWorkspace(dashboard, stack)
    page = await dashboard.open()
  })
  after(() => stack.disposeAsync())

  test('the form of each type', async () => {
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
    await page.goto(dashboard.at('/monitors/mon_nowhere'))
    await page.getByText('Monitor not found').waitFor()
    await expectAccessible(page, 'monitor-missing')
    await page.goto(dashboard.at('/incidents/inc_nowhere'))
    await page.getByText('Incident not found').waitFor()
    await expectAccessible(page, 'incident-missing')
  })
})
