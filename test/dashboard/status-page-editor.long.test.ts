import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createMonitor, setLabels } from '../support/monitors.ts'
import { useDashboard, withoutBrowser } from './dashboard.ts'
import { createAt } from './publishing.ts'

describe('The editor of a status page', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })
  let editor = ''
  before(async () => {
    const client = dashboard.server.client()
    for (const name of ['Shop', 'Search', 'Login']) {
      const { id } = await createMonitor(client, { name, type: 'CRON' })
      if (name !== 'Login') await setLabels(client, id, { team: 'web' })
    }
    const { id } = await createAt(client, '/status-pages', { name: 'Acme', slug: 'acme' })
    editor = dashboard.at(`/status-pages/${id}`)
  })

  test('previews unsaved changes', async () => {
    const page = await dashboard.open()
    await page.goto(editor)
    await page.getByRole('button', { name: 'Add section' }).click()
    // The name of a new section is selected: typing replaces it.
    await page.keyboard.type('Websites')
    assert.equal(await page.getByLabel('Section 1').inputValue(), 'Websites')
    await page
      .getByLabel(/selector|label/i)
      .last()
      .fill('team=web')
    await page.getByText('2 matches').waitFor()
    const preview = page.frameLocator('iframe')
    await preview.getByRole('link', { name: 'Search' }).waitFor()
    await preview.getByRole('heading', { name: 'Websites' }).waitFor()
    await page.getByText('Preview with your unsaved changes').waitFor()
    const saved = (await dashboard.server.client().get('/status-pages')).body.data[0]
    assert.deepEqual(saved.sections, [])
  })

  test('a dialog focuses its first field, or its title, but not the button that closes it', async () => {
    const page = await dashboard.open()
    await page.goto(editor)
    const focused = () => page.evaluate<string>('document.activeElement.outerHTML')
    await page.getByRole('button', { name: 'Add section' }).click()
    await page.getByRole('button', { name: 'Add monitors' }).click()
    await page.getByRole('dialog').waitFor()
    assert.match(await focused(), /^<(h2|input)/)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Delete' }).first().click()
    await page.getByRole('dialog').waitFor()
    assert.match(await focused(), /^<(h2|input)/)
  })
})
