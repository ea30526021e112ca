import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { createMonitor } from '../support/monitors.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { remember } from './past-results.ts'

describe('Charts and reports', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })

  test('a chart zooms into what is dragged, shows any dates, and compares monitors', async () => {
    const client = dashboard.server.client()
    const { id } = await createMonitor(client, { name: 'Checkout', type: 'HTTP', url: 'https://shop.example/' })
    const other = await createMonitor(client, { name: 'Search', type: 'HTTP', url: 'https://search.example/' })
    await remember(dashboard.server, id, { ms: 120 })
    await remember(dashboard.server, other.id, { ms: 300 })
    const page = await dashboard.open()
    await page.goto(dashboard.at(`/monitors/${id}?span=7d`))
    const chart = page.getByRole('img', { name: /^Last 7 d: median/ })
    await chart.waitFor()
    await page.locator('.u-over').waitFor()
    const box = await chart.boundingBox()
    assert.ok(box !== null)
    await page.mouse.move(box.x + box.width * 0.4, box.y + 80)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.7, box.y + 80, { steps: 5 })
    await page.mouse.up()
    await page.waitForURL(/from=.*to=/)
    await page.getByRole('img', { name: /^This range: median/ }).waitFor()
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByLabel('Compare with another monitor').fill('Search')
    await eventually(async () => {
      await page.getByLabel('Compare with another monitor').fill('Searc')
      await page.getByLabel('Compare with another monitor').fill('Search')
      assert.match(page.url(), /compare=mon_/)
    })
    await page.getByRole('button', { name: 'Remove Search' }).waitFor()
    await expectAccessible(page, 'monitor-compared')
    await page.getByRole('button', { name: '1 h', exact: true }).click()
    await page.getByText('No data in this time range.').waitFor()
  })

  test('the uptime of a month is printed and saved as CSV', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/reports/uptime'))
    await page.getByRole('row', { name: /^Checkout/ }).waitFor()
    await expectAccessible(page, 'uptime-report')
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.getByRole('navigation').first().isVisible(), false)
    await page.emulateMedia({ media: 'screen' })
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
    assert.match(file.suggestedFilename(), /^uptime-\d{4}-\d\d\.csv$/)
    const [head, first] = (await readFile(await file.path(), 'utf8')).split('\r\n')
    assert.match(head ?? '', /^month,timezone,kind,name,labels,uptime_percent,/)
    assert.match(first ?? '', /^\d{4}-\d\d,UTC,monitor,Checkout,,\d/)
  })
})
