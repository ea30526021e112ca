import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { createMonitor } from '../support/monitors.ts'
import { useHttpTarget } from '../support/targets.ts'
import { useDashboard, withoutBrowser } from './dashboard.ts'

describe('Rows of lists', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const target = useHttpTarget()
  before(async () => {
    const client = dashboard.server.client()
    for (let i = 0; i < 30; i += 1) {
      const name = `Service ${String(i).padStart(2, '0')}`
      const { id } = await createMonitor(client, { name, type: 'HTTP', url: target.url })
      if (i > 1) continue
      target.status = 503
      await client.post(`/monitors/${id}/check`, {})
      target.status = 200
    }
    await client.post('/status-pages', { name: 'Public status' })
  })

  test('are links as a whole: a click beside the name opens them, with Ctrl in a new tab', async () => {
    const page = await dashboard.open({ isNew: true })
    for (const [list, name] of [
      ['/monitors', 'Service 00'],
      ['/incidents', 'Service 00'],
      ['/', 'Service 00'],
      ['/status-pages', 'Public status'],
    ] as const) {
      await page.goto(dashboard.at(list))
      const link = page.getByRole('main').getByRole('link', { name, exact: true }).first()
      await link.waitFor()
      const href = new URL((await link.getAttribute('href')) ?? '', page.url()).pathname
      const at = await besideTheName(page, name)
      const opened = page.context().waitForEvent('page')
      await page.keyboard.down('Control')
      await page.mouse.click(at.x, at.y)
      await page.keyboard.up('Control')
      const tab = await opened
      await tab.waitForURL(`**${href}`)
      await tab.close()
      const other = page.context().waitForEvent('page')
      await page.mouse.click(at.x, at.y, { button: 'middle' })
      await (await other).close()
      assert.equal(new URL(page.url()).pathname, new URL(dashboard.at(list)).pathname, 'the list stays')
      await page.mouse.click(at.x, at.y)
      await page.waitForURL(`**${href}`)
    }
  })

  test('keep their own controls', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.getByRole('checkbox', { name: 'Select Service 05' }).check()
    await page.getByRole('button', { name: 'Actions for Service 05' }).click()
    await page.getByRole('button', { name: 'Duplicate' }).waitFor()
  })

  test('have the focus and the scroll position again after Back', async () => {
    const page = await dashboard.open()
    for (const list of ['/monitors', '/monitors?sort=name']) {
      await page.goto(dashboard.at(list))
      const link = page.getByRole('link', { name: 'Service 27', exact: true })
      await link.focus()
      const before = await page.evaluate<number>('scrollY')
      assert.ok(before > 100, `${before} px`)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Service 27' }).waitFor()
      assert.equal(await page.evaluate('scrollY'), 0)
      await page.goBack()
      await link.and(page.locator(':focus')).waitFor()
      assert.ok(Math.abs((await page.evaluate<number>('scrollY')) - before) < 2)
      // And from there with the keyboard.
      await page.keyboard.press('k')
      await eventually(async () => assert.equal(await page.locator('[data-row]:focus').count(), 1))
    }
  })
})

/** A point of the row that is not on its name or on a control. */
async function besideTheName(page: Page, name: string): Promise<{ x: number; y: number }> {
  const row = page.locator('main :is(tr, li)').filter({ has: page.getByRole('link', { name, exact: true }) })
  const box = await row.first().boundingBox()
  const text = await row.first().getByRole('link', { name, exact: true }).boundingBox()
  assert.ok(box !== null && text !== null)
  return { x: box.x + box.width * 0.55, y: box.y + box.height - 5 }
}
