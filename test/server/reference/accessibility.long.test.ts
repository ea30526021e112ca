import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { expectFits, expectNoViolations } from '../../support/accessibility.ts'
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

  // Structure and size of targets on a phone, colors on a desktop: axe takes seconds for a page of many operations.
  for (const { colorScheme, width } of [
    { colorScheme: 'light', width: 390 },
    { colorScheme: 'dark', width: 1280 },
  ] as const) {
    test(`every page passes axe in ${colorScheme} at ${width} px with everything open, and does not scroll sideways`, async () => {
      const page = await started.browser.newPage({ colorScheme })
      try {
        for (const path of await pathsOf(page)) {
          await page.goto(server.url + path)
          await page.evaluate(`document.querySelectorAll('details').forEach((part) => { part.open = true })`)
          await expectFits(page, path, width)
          await expectNoViolations(page, path, colorScheme)
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
      await expectNoViolations(page, 'the open search')
    } finally {
      await page.close()
    }
  })
})
