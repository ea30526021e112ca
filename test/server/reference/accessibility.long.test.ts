import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { useBrowser, withoutBrowser } from '../../support/browser.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

describe('accessibility of the API reference', { skip: withoutBrowser }, () => {
  const started = useBrowser()
  let server: TestServer
  before(async () => {
    server = await startTestServer('sqlite', { env: { PHAROS_ROLES: 'api' } })
  })
  after(() => server.stop())

  async function pathsOf(page: Page): Promise<string[]> {
    await page.goto(`${server.url}/docs`)
    return page.evaluate<string[]>(`[...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'))`)
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`every page passes axe in ${colorScheme}, narrow and wide, with everything open, and does not scroll sideways`, async () => {
      const page = await started.browser.newPage({ colorScheme })
      try {
        for (const path of await pathsOf(page)) {
          await page.goto(server.url + path)
          await page.evaluate(`document.querySelectorAll('details').forEach((part) => { part.open = true })`)
          await page.evaluate(axe.source)
          for (const width of [390, 1280]) {
            await page.setViewportSize({ width, height: 800 })
            assert.ok(
              (await page.evaluate<number>('document.documentElement.scrollWidth')) <= width,
              `${path} at ${width} px`,
            )
            const found = await page.evaluate<
              string[]
            >(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
              violations.map(({ id, nodes }) => id + ' (' + nodes.length + '): ' + nodes[0].html))`)
            assert.deepEqual(found, [], `${path} at ${width} px`)
          }
        }
      } finally {
        await page.close()
      }
    })
  }

  test('the open search passes axe', async () => {
    const page = await started.browser.newPage()
    try {
      await page.goto(`${server.url}/docs`)
      await page.fill('#search', 'monitor')
      await page.locator('#search-results li').first().waitFor()
      await page.evaluate(axe.source)
      const found = await page.evaluate<string[]>(
        `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
      )
      assert.deepEqual(found, [])
    } finally {
      await page.close()
    }
  })
})
