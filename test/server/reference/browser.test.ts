import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { withoutBrowser } from '../../support/browser.ts'
import { useReference } from './in-browser.ts'

const run = promisify(execFile)

describe('the API reference in a browser', { skip: withoutBrowser }, () => {
  const reference = useReference()
  const { visit } = reference

  test('the search finds operations, fields, events and guides, by keyboard alone', async () => {
    await visit('/docs', async (page) => {
      await page.keyboard.press('/')
      await page.keyboard.type('pause monit')
      await page.locator('#search-results li', { hasText: 'Pause a monitor' }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/docs/monitors#pauseMonitor')
      assert.equal(await page.evaluate('document.activeElement.id'), 'pauseMonitor-title')
      for (const [text, result] of [
        ['degradedThresholdMs', 'Create a monitor'],
        ['monitor.dns_changed', 'monitor.dns_changed'],
        ['hmac', 'Webhook verification'],
      ] as const) {
        await page.fill('#search', text)
        await page.locator('#search-results li', { hasText: result }).first().waitFor()
      }
      await page.fill('#search', 'xyzzy')
      await page.locator('.found', { hasText: 'No results' }).waitFor()
    })
  })

  test('a copied example runs and creates what it says', async () => {
    await visit('/docs/monitors#createMonitor', async (page) => {
      await page.selectOption('#createMonitor .example select', 'PORT')
      await page.click('#createMonitor .sample[data-language="curl"]:visible .copy')
      const command = await page.evaluate<string>('navigator.clipboard.readText()')
      const env = { ...process.env, PHAROS_API_KEY: reference.server.key }
      const { stdout } = await run('sh', ['-c', command.replace(/^curl/, 'curl -s')], { env })
      const { name, type, port } = JSON.parse(stdout)
      assert.deepEqual({ name, type, port }, { name: 'Database', type: 'PORT', port: 5432 })
      await page.click('#createMonitor .languages button[data-language="javascript"]')
      await page.click('#createMonitor .sample[data-language="javascript"]:visible .copy')
      const code = await page.evaluate<string>('navigator.clipboard.readText()')
      const ran = await run(process.execPath, ['--input-type=module', '-e', code], { env })
      assert.match(ran.stdout, /type: 'PORT'/)
    })
  })

  test('a call can be tried with a typed key, which is kept in memory only', async () => {
    await visit('/docs/monitors#createMonitor', async (page, context) => {
      await page.click('#createMonitor .try summary')
      await page.click('#createMonitor .send')
      await page.locator('#createMonitor .result', { hasText: '401' }).waitFor()
      await page.fill('#createMonitor .key', reference.server.key)
      await page.fill('#createMonitor textarea', '{"name":"Tried","type":"CRON"}')
      await page.click('#createMonitor .send')
      await page.locator('#createMonitor .result', { hasText: '201 Created' }).waitFor()
      const created = JSON.parse((await page.textContent('#createMonitor .result code')) ?? '')
      assert.equal(created.name, 'Tried')
      // The key survives navigation within the reference.
      await page.click('nav a[href="/docs/incidents"]')
      await page.locator('#listIncidents').waitFor()
      await page.click('#listIncidents .try summary')
      await page.selectOption('#listIncidents .try select[name=status]', 'RESOLVED')
      await page.click('#listIncidents .send')
      await page.locator('#listIncidents .result', { hasText: '200 OK' }).waitFor()
      await page.goBack()
      await page.locator('#getMonitor').waitFor()
      await page.click('#getMonitor .try summary')
      await page.fill('#getMonitor input[name=monitorId]', created.id)
      await page.click('#getMonitor .send')
      await page.locator('#getMonitor .result', { hasText: '"Tried"' }).waitFor()
      const stored = await page.evaluate<string>(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
      )
      assert.ok(!stored.includes(reference.server.key))
      assert.deepEqual(await context.cookies(), [])
      await page.reload()
      assert.equal(await page.inputValue('#getMonitor .key'), '')
    })
  })

  test('the theme can be chosen and is remembered', async () => {
    await visit('/docs', async (page) => {
      await page.selectOption('.theme select', 'dark')
      await page.reload()
      assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
    })
  })

  test('phones get the navigation from a menu', async () => {
    await visit('/docs', async (page) => {
      await page.setViewportSize({ width: 390, height: 800 })
      assert.equal(await page.isVisible('nav'), false)
      await page.click('.menu')
      await page.click('nav a[href="/docs/webhooks"]')
      await page.locator('#createWebhookEndpoint').waitFor()
      assert.equal(await page.isVisible('nav'), false)
    })
  })

  faults(visit)
})

/** When something goes wrong. */
function faults(visit: ReturnType<typeof useReference>['visit']): void {
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
}
