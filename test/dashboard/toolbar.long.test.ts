import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createMonitor, setLabels } from '../support/monitors.ts'
import { useDashboard, withoutBrowser } from './dashboard.ts'

/** Positions are measured: nothing may move under the pointer. */
describe('The toolbar of the monitor list', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })
  before(async () => {
    const client = dashboard.server.client()
    for (let i = 0; i < 4; i += 1) {
      const { id } = await createMonitor(client, { name: `Service ${i}`, type: 'CRON' })
      if (i > 0) await setLabels(client, id, { team: 'payments', 'a-label-with-a-long-name': `value-${i}` })
    }
  })

  test('selecting a monitor does not move the list, and the row keeps its tint under the pointer', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    const box = page.getByRole('checkbox', { name: 'Select Service 2' })
    await box.waitFor()
    const before = await positions(page)
    await box.click()
    await page.getByText('1 monitor selected').waitFor()
    assert.deepEqual(await positions(page), before)
    const tint = () =>
      page.locator('tr', { has: box }).evaluate((row) => {
        const { getComputedStyle } = globalThis as unknown as {
          getComputedStyle(of: unknown): { backgroundColor: string }
        }
        return getComputedStyle(row).backgroundColor
      })
    await page.mouse.move(0, 0)
    const selected = await tint()
    await box.hover()
    assert.equal(await tint(), selected)
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
  })

  test('typing into the label filter moves nothing and asks for no unfinished value', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.getByRole('checkbox', { name: 'Select Service 2' }).waitFor()
    const before = await positions(page)
    const filter = page.getByLabel('Filter by labels')
    await filter.hover()
    await filter.click()
    await page.locator('datalist option').first().waitFor({ state: 'attached' })
    assert.deepEqual(await positions(page), before, 'after its labels are loaded')
    await filter.fill('team==')
    await page.getByText(/^Can’t read this filter/).waitFor()
    assert.deepEqual(await positions(page), before, 'with a fault')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).searchParams.get('labels') ?? ''))
    await filter.fill('')
    const complete = page.waitForRequest(/labels=team%3Dpayments&/)
    await filter.pressSequentially('team=payments', { delay: 200 })
    await complete
    assert.deepEqual(
      [...new Set(asked)].filter((labels) => labels !== ''),
      ['team', 'team=payments'],
    )
    await filter.fill('team=pay')
    await page.keyboard.press('Enter')
    await page.getByText('No matching monitors').waitFor()
  })
})

/** Of the controls above the list and its rows. */
function positions(page: Page): Promise<readonly string[]> {
  return page.locator('search :is(input, select, button), tr[data-id]').evaluateAll((all) =>
    all.map((one) => {
      const { left, top, width } = one.getBoundingClientRect()
      return `${one.getAttribute('aria-label') ?? one.textContent}: ${left} ${top} ${width}`
    }),
  )
}
