import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createMonitor } from '../support/monitors.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('The palette', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })
  before(async () => {
    if (withoutBrowser) return
    for (const name of ['Backup of the shop', 'Backup of the mail'])
      await createMonitor(dashboard.server.client(), { name, type: 'CRON' })
  })

  test('finds settings, status pages and actions, and does not move while results load', async () => {
    const created = await dashboard.server.client().post('/status-pages', { name: 'Public status' })
    assert.equal(created.status, 201)
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.getByText('2 monitors, problems first').waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    const field = page.getByRole('combobox', { name: 'Screen, monitor or action' })
    const results = page.getByRole('listbox', { name: 'Results' })
    await field.waitFor()
    const before = await page.getByRole('dialog').boundingBox()
    for (const [typed, name] of [
      ['audit', 'Audit log'],
      ['password', 'Your account'],
      ['public st', 'Public status'],
      ['new stat', 'New status page'],
      ['dark', 'Dark theme'],
      ['log out', 'Sign out'],
      ['tv', 'Wall board'],
      ['help', 'Keyboard shortcuts'],
    ] as const) {
      await field.fill(typed)
      await results.getByRole('option', { name, selected: true }).waitFor()
    }
    assert.deepEqual(await page.getByRole('dialog').boundingBox(), before, 'the dialog neither moves nor grows')
    await field.fill('pause')
    await page.keyboard.press('Enter')
    assert.equal(await field.inputValue(), 'pause ')
    await page.keyboard.type('mail')
    await results.getByRole('option', { name: 'Pause Backup of the mail', selected: true }).waitFor()
    await expectAccessible(page, 'palette-pause')
    await page.keyboard.press('Enter')
    await page.getByText('Backup of the mail paused').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Backup of the mail resumed').waitFor()
  })
})
