import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { DAY_MS } from '../../src/lib/clock.ts'
import { execute, q } from '../../src/storage/query.ts'
import { createPage } from '../publishing/public-site/fixtures.ts'
import { createMonitor } from '../support/monitors.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { HOUR_MS, remember } from './past-results.ts'

describe('Time that was not monitored', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })

  /** A monitor that nobody looked at for six hours of today and a day of last week. */
  async function monitorWithGap(): Promise<string> {
    const { id } = await createMonitor(dashboard.server.client(), {
      name: 'Checkout',
      type: 'HTTP',
      url: 'https://shop.example/',
    })
    await remember(dashboard.server, id, { ms: 120, down: { 15: 20 } })
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
    await dashboard.server.running.database.write(function* () {
      const createdAt = Date.now() - 60 * DAY_MS
      yield* execute(q.updateTable('monitors').set({ created_at: createdAt }).where('id', '=', id))
      yield* execute(q.deleteFrom('rollup_hours').where('start_at', '>', hour - 7 * HOUR_MS))
      yield* execute(q.deleteFrom('rollup_days').where('start_at', '=', Math.floor(hour / DAY_MS - 5) * DAY_MS))
    })
    return id
  }

  test('is drawn in the list, in the chart and on the status page, and is in the report', async () => {
    const id = await monitorWithGap()
    await createPage(dashboard.server.client(), [id], { slug: 'gap', showUptime: true, showResponseTimes: true })
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.getByRole('img', { name: /^Last 24 hours: .* not monitored/ }).waitFor()

    await page.goto(dashboard.at(`/monitors/${id}`))
    await page.getByRole('img', { name: /^Last 24 h: median/ }).waitFor()
    const legend = page.getByRole('listitem').filter({ hasText: /^Not monitored$/ })
    await legend.waitFor()
    await page
      .getByText(/; excludes \d+ h.* not monitored$/)
      .first()
      .waitFor()
    await page
      .getByText(/^Between \d\d\.\d+% and 99\.\d+% with/)
      .first()
      .waitFor()
    await page.locator('.u-over').waitFor()
    await page.getByRole('button', { name: 'Table' }).click()
    await page.getByRole('columnheader', { name: 'Not monitored' }).waitFor()
    await expectAccessible(page, 'unknown-table')

    await page.goto(dashboard.at('/reports/uptime'))
    await page.getByRole('columnheader', { name: 'Not monitored' }).waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
    const [head = '', first = ''] = (await readFile(await file.path(), 'utf8')).split('\r\n')
    assert.match(head, /,unknown_seconds$/)
    assert.ok(Number(first.split(',').at(-1)) >= 6 * 3600, first)

    await page.goto(`${dashboard.server.url}/status/gap`)
    const bars = page.locator('.days a.unknown')
    assert.match((await bars.first().getAttribute('data-t')) ?? '', /: Not monitored, 24 h|: Not monitored, 1 d/)
    assert.match((await page.locator('.sr').first().textContent()) ?? '', /with unmonitored time/)
    await page.locator('.legend').getByText('Not monitored').waitFor()
    await expectAccessible(page, 'unknown-page')
  })
})
