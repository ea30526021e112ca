import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { expectFits, expectNoViolations } from '../support/accessibility.ts'
import { openBrowser, type TestBrowser, withoutBrowser } from '../support/browser.ts'
import { PASSWORD, Person } from '../support/person.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts'

export { expectFits, expectNoViolations, PASSWORD, withoutBrowser }
export const OWNER = 'owner@example.com'

interface WindowOptions {
  readonly person?: Person
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
}

/** A server with its first user, and a browser in which that user is signed in. */
export interface Dashboard {
  readonly server: TestServer
  readonly browser: TestBrowser
  readonly owner: Person
  /** A window in which the owner (or the given person) is signed in; an error on its console fails the suite. */
  open(options?: WindowOptions): Promise<Page>
  /** The address of a path below the organization's. */
  at(path: string): string
}

const PHONE_PX = 390
const DESKTOP_PX = 1280
/** Longer than anything takes on a busy machine; what is awaited ends the wait. */
const TIMEOUT_MS = 120_000

export function useDashboard(options: TestServerOptions = {}): Dashboard {
  let server: TestServer | undefined
  let browser: TestBrowser | undefined
  let owner: Person | undefined
  const windows = new Windows()
  before(async () => {
    if (withoutBrowser) return
    ;[server, browser] = await Promise.all([startTestServer('sqlite', options), openBrowser()])
    windows.browser = browser
    assert.ok(server.running.hasDashboard, 'the dashboard is not built: npm run build')
    owner = new Person(server)
    const token = server.running.setupToken
    const made = await owner.post('/setup', { token, email: OWNER, password: PASSWORD, organizationName: 'Acme' })
    assert.equal(made.status, 201)
  })
  beforeEach(() => windows.beginTest())
  afterEach(() => windows.endTest())
  after(async () => {
    await windows.close()
    await browser?.close()
    await server?.stop()
    assert.deepEqual(windows.problems, [])
  })
  return {
    get server() {
      return server as TestServer
    },
    get browser() {
      return browser as TestBrowser
    },
    get owner() {
      return owner as Person
    },
    at: (path) => `${server?.url.replace('127.0.0.1', 'localhost')}/o/default${path}`,
    open: (window = {}) => windows.open({ ...(owner && { person: owner }), ...window }),
  }
}

/**
 * The windows of a suite. Loading the dashboard in a new browser context takes three times the CPU time of loading it
 * in one that has its files in the cache, so a test's contexts are used again by the next test.
 */
class Windows {
  browser: TestBrowser | undefined
  readonly problems: string[] = []
  readonly #contexts: BrowserContext[] = []
  readonly #free: BrowserContext[] = []
  /** The windows of the present test. */
  #ofTest: Page[] | undefined

  beginTest(): void {
    this.#ofTest = []
  }

  async open({ person, colorScheme = 'light', width = DESKTOP_PX }: WindowOptions): Promise<Page> {
    const context = this.#free.pop() ?? (await this.#newContext())
    const [name, value] = (person?.cookie ?? '').split('=', 2)
    if (name) await context.addCookies([{ name, value: value ?? '', domain: 'localhost', path: '/' }])
    const page = await context.newPage()
    this.#ofTest?.push(page)
    if (colorScheme === 'dark') await page.emulateMedia({ colorScheme })
    if (width !== DESKTOP_PX) await page.setViewportSize({ width, height: 900 })
    page.on('pageerror', (error) => this.problems.push(`${page.url()}: ${error.message}`))
    page.on('console', (message) => {
      // The browser itself reports every answer of 4xx; tests check what the screen shows then.
      if (message.type() === 'error' && !/the server responded with a status of/.test(message.text())) {
        this.problems.push(`${page.url()}: ${message.text()}`)
      }
    })
    return page
  }

  /** Closes what the test opened. Its contexts are used again, with nothing but their cache. */
  async endTest(): Promise<void> {
    const opened = this.#ofTest ?? []
    this.#ofTest = undefined
    for (const page of opened) {
      const context = page.context()
      const isClean = await page
        .evaluate('localStorage.clear(); sessionStorage.clear()')
        .then(() => true)
        .catch(() => false)
      await page.close()
      if (!isClean || context.pages().length > 0) continue
      await Promise.all([context.clearCookies(), context.clearPermissions(), context.unrouteAll()])
      await context.setOffline(false)
      this.#free.push(context)
    }
  }

  async close(): Promise<void> {
    for (const context of this.#contexts) await context.close()
  }

  async #newContext(): Promise<BrowserContext> {
    const viewport = { width: DESKTOP_PX, height: 900 }
    const context = await (this.browser as TestBrowser).newContext({ colorScheme: 'light', viewport })
    context.setDefaultTimeout(TIMEOUT_MS)
    this.#contexts.push(context)
    return context
  }
}

/** Where screenshots are put when PHAROS_SCREENSHOTS names a folder. */
const pictures = process.env.PHAROS_SCREENSHOTS

/** From the smallest phone to the width from which the layout stays the same. */
const widths = [360, 768, 1920]
const pictureWidths = [PHONE_PX, 768, DESKTOP_PX, 1920]

/** No violation that axe finds in both colour schemes at both widths; nothing scrolls sideways; screenshots on demand. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  await takePictures(page, name)
  for (const width of [...widths, PHONE_PX]) await expectFits(page, name, width)
  await expectNoViolations(page, name, 'light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNoViolations(page, name, 'dark')
  await expectFits(page, name, DESKTOP_PX)
  await expectNoViolations(page, name, 'dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await expectNoViolations(page, name, 'light')
}

/** Screenshots at four widths in both colour schemes, if PHAROS_SCREENSHOTS names a folder. */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return
  mkdirSync(pictures, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of pictureWidths) {
      await page.setViewportSize({ width, height: 900 })
      await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage: true })
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
