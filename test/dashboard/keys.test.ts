import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createMonitor, current } from '../support/monitors.ts'
import { useHttpTarget } from '../support/targets.ts'
import { useDashboard, withoutBrowser } from './dashboard.ts'

/** No key may do something that the user did not mean, however slow the network is. */
describe('Keys', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const target = useHttpTarget()
  let id = ''
  before(async () => {
    const client = dashboard.server.client()
    id = (await createMonitor(client, { name: 'Office gateway', type: 'HTTP', url: target.url })).id
    target.status = 503
    await client.post(`/monitors/${id}/check`, {})
  })

  test('what is typed before the palette is loaded goes into its field and changes nothing', async () => {
    const page = await dashboard.open({ isNew: true })
    const { changes } = watch(page)
    let deliver = () => {}
    const asked = new Promise<void>((resolve) => (deliver = resolve))
    await page.route(/\/assets\/palette-results-[^/]+\.js$/, async (route) => {
      await asked
      await route.continue()
    })
    await page.goto(dashboard.at('/monitors'))
    const row = page.getByRole('link', { name: 'Office gateway' })
    await row.focus()
    // In one turn of the browser: nothing is rendered between the keys.
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('pause can')
    const field = page.getByRole('combobox', { name: 'Screen, monitor or action' })
    assert.equal(await field.inputValue(), 'pause can')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('office')
    deliver()
    await page.getByRole('option', { name: 'Pause Office gateway', selected: true }).waitFor()
    assert.equal(await field.inputValue(), 'pause office')
    assert.deepEqual(changes, [])
    await page.keyboard.press('Enter')
    await page.getByText('Office gateway paused').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Office gateway resumed').waitFor()
  })

  test('the palette is loaded before it is opened', async () => {
    const page = await dashboard.open({ isNew: true })
    const loaded = page.waitForRequest(/\/assets\/palette-results-[^/]+\.js$/)
    await page.goto(dashboard.at('/monitors'))
    await loaded
  })

  test('single keys change nothing where no row has the focus', async () => {
    const client = dashboard.server.client()
    await client.post(`/monitors/${id}/check`, {})
    const [incident] = (await client.get('/incidents?status=ONGOING')).body.data
    const page = await dashboard.open()
    const { changes } = watch(page)
    for (const [path, shown] of [
      [`/monitors/${id}`, 'Response times'],
      ['/monitors', 'Office gateway'],
      [`/incidents/${incident.id}`, 'Timeline'],
      ['/incidents', 'Office gateway'],
    ] as const) {
      await page.goto(dashboard.at(path))
      await page.getByText(shown).first().waitFor()
      for (const key of ['p', 'c', 'a']) await page.keyboard.press(key)
    }
    // Is handled after the keys.
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
    assert.deepEqual(changes, [])
    assert.equal((await current(client, id)).state, 'DOWN')
  })
})

/** What the page asks the server to change. */
function watch(page: Page): { readonly changes: string[] } {
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') changes.push(`${request.method()} ${request.url()}`)
  })
  return { changes }
}
