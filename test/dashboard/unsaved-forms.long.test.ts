import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { type Dashboard, expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { createAt } from './publishing.ts'

interface Scene {
  readonly dashboard: Dashboard
  page: Page
}

describe('Unsaved forms', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const scene: Scene = { dashboard } as Scene
  before(async () => {
    scene.page = await dashboard.open()
  })
  leaving(scene)
  closing(scene)
})

function stored({ page }: Scene): Promise<string> {
  return page.evaluate<string>('JSON.stringify(sessionStorage)')
}

function follow({ page }: Scene, name: string): Promise<void> {
  return page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click()
}

/** Fills a monitor's form with an address, and with a header in the folded part. */
async function fillMonitor({ page, dashboard }: Scene): Promise<void> {
  await page.goto(dashboard.at('/monitors/new'))
  await page.getByLabel('URL or host').fill('http://127.0.0.1:9/never')
  await page.getByLabel('Name', { exact: true }).fill('Unsaved monitor')
  await page.getByText('Advanced', { exact: false }).first().click()
  await page.getByLabel('Request headers').fill('Authorization: Bearer planted-secret')
}

function leaving(scene: Scene): void {
  test('leaving a form asks for confirmation, and the entries are restored without secrets', async () => {
    const { page, dashboard } = scene
    await fillMonitor(scene)
    await follow(scene, 'Incidents')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.waitFor()
    await expectAccessible(page, 'leave-form')
    await page.setViewportSize({ width: 1280, height: 900 })
    await question.getByRole('button', { name: 'Keep editing' }).click()
    await question.waitFor({ state: 'hidden' })
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Unsaved monitor')
    await follow(scene, 'Incidents')
    await question.getByRole('button', { name: 'Leave, keep draft' }).click()
    await page.getByRole('heading', { name: 'Incidents', level: 1 }).waitFor()
    assert.match(await stored(scene), /Unsaved monitor/)
    assert.doesNotMatch(await stored(scene), /planted-secret/)
    await page.goto(dashboard.at('/monitors/new'))
    await page.getByText(/Your unsaved changes were restored\. Passwords/).waitFor()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Unsaved monitor')
    await expectAccessible(page, 'restored-form')
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.getByRole('button', { name: 'Discard' }).click()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), '')
    await follow(scene, 'Incidents')
    await page.getByRole('heading', { name: 'Incidents', level: 1 }).waitFor()
    assert.doesNotMatch(await stored(scene), /Unsaved monitor/)
  })

  test('the Back button asks for confirmation too, and discarding deletes the draft', async () => {
    const { page, dashboard } = scene
    await page.goto(dashboard.at('/monitors'))
    await follow(scene, 'Maintenance')
    await page.getByRole('link', { name: 'Schedule maintenance' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Half planned')
    await page.evaluate('history.back()')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('heading', { name: /^Maintenance/, level: 1 }).waitFor()
    assert.doesNotMatch(await stored(scene), /Half planned/)
  })

  test('closing the window asks for confirmation while there are unsaved changes', async () => {
    const { page, dashboard } = scene
    await page.goto(dashboard.at('/maintenance/new'))
    await page.getByLabel('Name', { exact: true }).fill('Half planned')
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type())
        void dialog.accept()
      })
    })
    await page.reload()
    assert.equal(await asked, 'beforeunload')
    await page.getByText('Your unsaved changes were restored.').waitFor()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Half planned')
    await page.getByRole('button', { name: 'Discard' }).click()
  })
}

function closing(scene: Scene): void {
  test('saving deletes the draft without a question', async () => {
    const { page, dashboard } = scene
    await page.goto(dashboard.at('/webhooks'))
    await page
      .getByRole('button', { name: /New webhook|New endpoint|Add/ })
      .first()
      .click()
    await page.getByLabel('URL', { exact: true }).fill('https://hooks.example/alerts')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page
      .getByRole('button', { name: /New webhook|New endpoint|Add/ })
      .first()
      .click()
    await page.getByText('Your unsaved changes were restored.').waitFor()
    assert.equal(await page.getByLabel('URL', { exact: true }).inputValue(), 'https://hooks.example/alerts')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('dialog', { name: 'Signing secret', exact: true }).waitFor()
    assert.doesNotMatch(await stored(scene), /example\.com\/hook/)
  })

  test('a dialog that shows a secret once asks for confirmation before it closes, also when Escape is pressed repeatedly', async () => {
    const { page } = scene
    const secret = page.getByRole('dialog', { name: 'Signing secret', exact: true })
    const question = page.getByRole('dialog', { name: /^Have you saved the / })
    await page.keyboard.press('Escape')
    await question.waitFor()
    await expectAccessible(page, 'secret-shown-once')
    await page.setViewportSize({ width: 1280, height: 900 })
    for (let i = 0; i < 4; i += 1) await page.keyboard.press('Escape')
    // The browser may close it for a moment; then it opens again, with the question.
    await secret.waitFor()
    await eventually(async () => {
      if (await question.isVisible()) await question.getByRole('button', { name: 'Go back' }).click({ timeout: 1000 })
      await secret.getByRole('button', { name: 'Close', exact: true }).click({ timeout: 1000 })
    })
    await question.waitFor()
    await question.getByRole('button', { name: 'Yes, close' }).click()
    await secret.waitFor({ state: 'hidden' })
    await page.waitForURL(/\/webhooks\/we_/)
  })

  test('signing out asks for confirmation and deletes the drafts of the tab', async () => {
    const { page, dashboard } = scene
    await createAt(dashboard.server.client(), '/status-pages', { name: 'Acme', slug: 'acme' })
    await page.goto(dashboard.at('/published/new'))
    await page.getByLabel('Title').fill('Half written')
    await page.getByRole('button', { name: /organizations, theme, sign out/ }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).first().click()
    await page.getByText('They are lost when you sign out.').waitFor()
    await page.getByRole('button', { name: 'Discard and sign out' }).click()
    await page.waitForURL(/sign-in/)
    assert.doesNotMatch(await stored(scene), /Half written|pharos\.draft/)
  })
}
