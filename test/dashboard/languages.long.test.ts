import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addressOf, openOutside } from './accounts.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('Languages of the dashboard', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('a user chooses a language, which another browser of the same user gets too', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/account'))
    await page.getByLabel('Language', { exact: true }).selectOption('de')
    await page.getByRole('link', { name: 'Einstellungen', exact: true }).locator('visible=true').first().waitFor()
    assert.equal(await page.evaluate('document.documentElement.lang'), 'de')
    await expectAccessible(page, 'account-german')

    const other = await dashboard.open()
    await other.evaluate('localStorage.clear()').catch(() => undefined)
    await other.goto(dashboard.at('/monitors'))
    await other.getByRole('link', { name: 'Einstellungen', exact: true }).locator('visible=true').first().waitFor()

    await page.getByLabel('Sprache', { exact: true }).selectOption('')
    await page.getByRole('link', { name: 'Settings', exact: true }).locator('visible=true').first().waitFor()
    const { body } = await dashboard.owner.get('/me')
    assert.equal(body.user.language, null)
  })

  test('every language opens every part of the workspace, and fits on a phone', async () => {
    const page = await dashboard.open()
    for (const code of ['de', 'es', 'fr', 'ja', 'pt', 'zh']) {
      await dashboard.owner.patch('/me', { language: code })
      await page.goto(dashboard.at('/settings/account'))
      await page.locator(`html[lang="${code}"]`).waitFor()
      for (const path of ['/monitors', '/monitors/new', '/settings/account', '/status-pages', '/webhooks']) {
        await page.goto(dashboard.at(path))
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await page.setViewportSize({ width: 390, height: 900 })
        const widest = await page.evaluate<number>('document.documentElement.scrollWidth')
        assert.ok(widest <= 390, `${path} in ${code} is ${widest} px wide`)
      }
    }
    await dashboard.owner.patch('/me', { language: null })
  })

  test('the sign-in page offers all languages', async () => {
    const page = await openOutside(dashboard)
    await page.goto(addressOf(dashboard.server, '/sign-in'))
    await page.getByLabel('Language').selectOption('fr')
    await page.locator('html[lang="fr"]').waitFor()
    await expectAccessible(page, 'sign-in-french')
  })
})
