import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startHttpTarget } from '../support/targets.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { createAt, got } from './publishing.ts'

describe('Muted monitors and acknowledged incidents', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_CONFIRM_DELAYS: '' } })

  test('are shown on every screen; a selection is muted, and several incidents are acknowledged at once', async () => {
    await using target = await startHttpTarget()
    target.status = 500
    const client = dashboard.server.client()
    const created = ['Shop', 'Blog', 'Docs'].map((name) =>
      createAt(client, '/monitors', { name, type: 'HTTP', url: target.url, expectedStatus: [200] }),
    )
    const [shop] = await Promise.all(created)
    assert.ok(shop)
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.getByRole('checkbox', { name: 'Select Shop' }).check()
    await page.getByRole('button', { name: 'Mute', exact: true }).click()
    await page.getByLabel('Mute alerts until').selectOption('tomorrow')
    await expectAccessible(page, 'mute-dialog')
    await page.getByRole('dialog').getByRole('button', { name: 'Mute', exact: true }).click()
    const tag = page.getByTitle(/^Muted until /).first()
    await page
      .locator(`[data-id="${shop.id}"]`)
      .getByTitle(/^Muted until /)
      .waitFor()
    await expectAccessible(page, 'monitors-muted')
    for (const path of ['/', '/incidents', '/?board']) {
      await page.goto(dashboard.at(path))
      await tag.waitFor()
    }
    await page.goto(dashboard.at('/incidents'))
    await page.getByLabel('Select all').check()
    await expectAccessible(page, 'incidents-selected')
    await page.getByRole('button', { name: 'Acknowledge 3 incidents' }).click()
    await page.getByText('Acknowledged by owner').nth(2).waitFor()
    assert.equal((await got(client, '/incidents?acknowledged=true')).pagination.total, 3)
    await page.getByRole('link', { name: 'Shop' }).click()
    await page.getByText(/^owner muted the alerts until /).waitFor()
    await page.goto(dashboard.at(`/monitors/${shop.id}`))
    await page.getByText('Acknowledged by owner').first().waitFor()
    await expectAccessible(page, 'monitor-muted')
    await page.getByRole('button', { name: 'Unmute' }).click()
    await page.getByText('Shop unmuted').waitFor()
    assert.equal((await got(client, '/mutes')).pagination.total, 0)
  })
})
