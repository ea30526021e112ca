import assert from 'node:assert/strict'
import type { Browser, BrowserContext, Page } from 'playwright-core'

export type Look = (page: Page, context: BrowserContext) => Promise<void>

/** Runs with a page of the reference. Fails on requests to other hosts and on errors and policy violations in the console. */
export async function inBrowser(browser: Browser, origin: string, path: string, look: Look): Promise<void> {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const problems: string[] = []
  try {
    const page = await context.newPage()
    page.on('request', (request) => {
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) problems.push(request.url())
    })
    page.on('console', (message) => {
      // A response with an error status is logged by the browser.
      const isStatus = /Failed to load resource/.test(message.text())
      if (message.type() === 'error' && !isStatus) problems.push(message.text())
    })
    page.on('pageerror', (error) => void problems.push(error.message))
    await page.goto(origin + path)
    await look(page, context)
    assert.deepEqual(problems, [])
  } finally {
    await context.close()
  }
}
