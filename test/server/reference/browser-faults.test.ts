import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withoutBrowser } from '../../support/browser.ts'
import { useReference } from './in-browser.ts'

describe('the API reference in a browser, when something goes wrong', { skip: withoutBrowser }, () => {
  const { visit } = useReference()

  test('the theme can be chosen where storage is forbidden', async () => {
    await visit('/docs', async (page) => {
      await page.addInitScript(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden') } })",
      )
      await page.reload()
      await page.selectOption('.theme select', 'dark')
      assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
    })
  })

  test('the form follows the chosen example', async () => {
    await visit('/docs/monitors#createMonitor', async (page) => {
      await page.selectOption('#createMonitor .example select', 'DNS')
      assert.equal(JSON.parse(await page.inputValue('#createMonitor textarea')).type, 'DNS')
    })
  })

  test('the search recovers from a failed download of its index', async () => {
    await visit('/docs', async (page) => {
      await page.route('**/search-*.json', (route) => route.fulfill({ status: 503, body: '' }), { times: 1 })
      await page.fill('#search', 'pause')
      await page.locator('.found', { hasText: 'Search could not be loaded' }).waitFor()
      await page.fill('#search', 'pause monitor')
      await page.locator('#search-results li', { hasText: 'Pause a monitor' }).waitFor()
    })
  })

  test('of two pages that are requested in a row the later one is shown, in whatever order they arrive', async () => {
    await visit('/docs', async (page) => {
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route('**/docs/incidents', async (route) => {
        await held
        await route.continue()
      })
      await page.click('nav a[href="/docs/incidents"]')
      await page.click('nav a[href="/docs/webhooks"]')
      await page.locator('#createWebhookEndpoint').waitFor()
      const late = page.waitForResponse('**/docs/incidents')
      release()
      await (await late).finished()
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
      assert.equal(await page.isVisible('#createWebhookEndpoint'), true)
      assert.ok(page.url().endsWith('/docs/webhooks'))
    })
  })
})
