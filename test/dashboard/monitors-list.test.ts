import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { createMonitor, type MonitorBody } from '../support/monitors.ts'
import { useHttpTarget } from '../support/targets.ts'
import { useDashboard, withoutBrowser } from './dashboard.ts'

describe('The list of monitors', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const target = useHttpTarget()

  test('filters are in the URL, j and k move the selection, and bulk actions work', async () => {
    const client = dashboard.server.client()
    for (const name of ['Apple', 'Banana', 'Cherry'])
      await createMonitor(client, { name, type: 'HTTP', url: target.url })
    await createMonitor(client, { name: 'Date', type: 'CRON' })
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    const rows = page.locator('[data-row]')
    await rows.nth(3).waitFor()

    await page.keyboard.press('/')
    await page.keyboard.type('an')
    await page.waitForURL(/q=an/)
    await page.getByText('1 match').waitFor()
    await page.reload()
    await page.getByText('1 match').waitFor()
    assert.deepEqual(await rows.allTextContents(), ['Banana'])
    await page.getByRole('searchbox').fill('')
    await page.getByText('4 monitors').waitFor()
    await page.getByLabel('Filter by type').selectOption('CRON')
    await page.waitForURL(/type=CRON/)
    await page.getByText('1 match').waitFor()
    assert.deepEqual(await rows.allTextContents(), ['Date'])
    await page.getByLabel('Filter by type').selectOption('')
    await page.getByText('4 monitors').waitFor()
    // Rows that are checked for the first time still move.
    for (const name of ['Apple', 'Banana', 'Cherry'])
      await page.getByRole('row').filter({ hasText: name }).getByText('Up', { exact: true }).waitFor()

    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('j')
    const focused = await page.evaluate<string>('document.activeElement.textContent')
    assert.equal(focused, (await rows.allTextContents())[1])
    await page.keyboard.press('p')
    await page.getByText(`${focused} paused`).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: focused }).waitFor()
    await page.getByText('Checks and alerts are paused.').waitFor()

    await page.goto(dashboard.at('/monitors'))
    await page.getByLabel('Select all on this page').locator('visible=true').check()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('4 monitors paused').waitFor()
    const states = async () => {
      const { data } = (await client.get('/monitors')).body
      return data.map(({ state }: MonitorBody) => state)
    }
    assert.deepEqual(await states(), ['PAUSED', 'PAUSED', 'PAUSED', 'PAUSED'])
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('4 monitors resumed').waitFor()
    assert.ok(!(await states()).includes('PAUSED'))
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete 4 monitors' }).click()
    await page.getByText('No monitors yet').waitFor()
    assert.equal((await states()).length, 4, 'the deletion can be undone')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await rows.nth(3).waitFor()
    await page.getByLabel('Select all on this page').locator('visible=true').check()
    await page.getByRole('button', { name: 'Delete' }).first().click()
    await page.getByRole('button', { name: 'Delete 4 monitors' }).click()
    await page.getByText('No monitors yet').waitFor()
    // Leaving the page sends the deletion at once.
    await page.goto('about:blank')
    await eventually(async () => assert.deepEqual(await states(), []))
  })
})

describe('Creating a monitor by keyboard, and its contacts', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const tcpPort = 5432

  test('a monitor can be created with the keyboard alone', async () => {
    const client = dashboard.server.client()
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.getByText('No monitors yet').waitFor()
    await page.keyboard.press('n')
    await page.getByRole('radio', { name: 'HTTP' }).waitFor()
    await tabTo(page, 'HTTP')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await tabTo(page, 'Host')
    await page.keyboard.type('127.0.0.1')
    await tabTo(page, 'Port')
    await page.keyboard.type(String(tcpPort))
    await tabTo(page, 'Name')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('By keyboard')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'By keyboard' }).waitFor()
    const { data } = (await client.get('/monitors')).body
    assert.deepEqual(
      data.map(({ name, type, port }: MonitorBody) => [name, type, port]),
      [['By keyboard', 'PORT', tcpPort]],
    )
    await client.delete(`/monitors/${data[0].id}`)
  })

  test('a change of contacts is saved with the monitor', async () => {
    const settings = { url: 'https://hooks.example/alerts' }
    const { body: contact } = await dashboard.owner.post('/v1/contacts', {
      name: 'On-call',
      channel: 'WEBHOOK',
      settings,
    })
    const { id } = await createMonitor(dashboard.server.client(), { name: 'Alerted', type: 'CRON' })
    const page = await dashboard.open()
    await page.goto(dashboard.at(`/monitors/${id}/edit`))
    await page.getByRole('checkbox', { name: /On-call/ }).uncheck()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('No contact is chosen for this monitor.').waitFor()
    const { data } = (await dashboard.owner.get(`/v1/monitors/${id}/contacts`)).body
    assert.deepEqual(
      data.map(({ contactId, attached }: MonitorBody) => [contactId, attached]),
      [[contact.id, false]],
    )
  })
})

/** Presses Tab until what has this label has the focus. */
async function tabTo(page: Page, label: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    const here = await page.evaluate<string>('document.activeElement.labels?.[0]?.textContent ?? ""')
    if (here.trim() === label) return
  }
  assert.fail(`Tab never came to ${label}`)
}
