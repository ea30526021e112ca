import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach } from 'node:test'
import type { Page } from 'playwright-core'
import { CannotListen } from '../../src/server/listen.ts'
import { expectFits, expectNoViolations } from '../support/accessibility.ts'
import { openBrowser, type TestBrowser, withoutBrowser } from '../support/browser.ts'
import { claim, OWNER, PASSWORD, type Person } from '../support/person.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts'
import { DESKTOP_PX, type WindowOptions, Windows } from './windows.ts'

export { expectFits, expectNoViolations, OWNER, PASSWORD, withoutBrowser }

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

export function useDashboard(options: TestServerOptions = {}): Dashboard {
  let server: TestServer | undefined
  let browser: TestBrowser | undefined
  let owner: Person | undefined
  const windows = new Windows()
  before(async () => {
    ;[server, browser] = await Promise.all([startServer(options), openBrowser()])
    windows.origin = originOf(server)
    assert.ok(server.running.hasDashboard, 'the dashboard is not built: npm run build')
    owner = await claim(server, OWNER)
  })
  beforeEach(() => windows.beginTest())
  afterEach(async (context) => {
    if ('passed' in context && !context.passed) for (const shown of await windows.describe()) context.diagnostic(shown)
    await windows.endTest()
  })
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
    at: (path) => `${originOf(server as TestServer)}/o/default${path}`,
    open: (window = {}) => windows.open({ ...(owner && { person: owner }), ...window }),
  }
}

/** With a host name: browsers refuse passkeys at IP addresses. */
export function originOf({ url }: Pick<TestServer, 'url'>): string {
  return url.replace('127.0.0.1', 'localhost')
}

/** Of the last server. The next one uses it again, so that windows have the files of the dashboard in their cache. */
let port = '0'

async function startServer({ env, ...options }: TestServerOptions): Promise<TestServer> {
  const startAt = (at: string) => startTestServer('sqlite', { ...options, env: { PORT: at, ...env } })
  const server = await startAt(port).catch((error) => {
    if (!(error instanceof CannotListen)) throw error
    return startAt('0')
  })
  port = new URL(server.url).port
  return server
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
