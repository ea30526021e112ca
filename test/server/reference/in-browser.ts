import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { type TestBrowser, useBrowser } from '../../support/browser.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

type Look = (page: Page, context: BrowserContext) => Promise<void>

/** A server, and a function that looks at a page of its reference in a browser. */
export function useReference() {
  const started = useBrowser()
  let server: TestServer | undefined
  before(async () => {
    server = await startTestServer('sqlite', { env: { PHAROS_ROLES: 'api' } })
  })
  after(() => server?.stop())
  return {
    get server() {
      return server as TestServer
    },
    visit(path: string, look: Look): Promise<void> {
      return inBrowser(started.browser, (server as TestServer).url.replace('127.0.0.1', 'localhost'), path, look)
    },
  }
}

/** Runs with a page of the reference. Fails on requests to other hosts and on errors and policy violations in the console. */
async function inBrowser(browser: TestBrowser, origin: string, path: string, look: Look): Promise<void> {
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
