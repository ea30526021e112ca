import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { expectNoViolations, useDashboard, withoutBrowser } from './dashboard.ts'

describe('The menu of a phone', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })

  test('lists the screens that the bar has no room for, and opens the search only when asked', async () => {
    const page = await dashboard.open({ width: 390 })
    await page.goto(dashboard.at('/monitors'))
    const more = page.getByRole('button', { name: 'More', exact: true })
    await more.click()
    const menu = page.getByRole('dialog', { name: 'More' })
    const names = await menu.getByRole('link').allTextContents()
    assert.deepEqual(names, ['Published incidents', 'Maintenance', 'Status pages', 'Webhooks', 'Settings'])
    assert.equal(await page.locator('input:focus').count(), 0, 'no keyboard comes up')
    await expectNoViolations(page, 'phone-menu')
    await menu.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    await menu.waitFor({ state: 'detached' })
    await more.click()
    await menu.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('combobox', { name: 'Screen, monitor or action' }).and(page.locator(':focus')).waitFor()
  })
})
