import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'
import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openBrowser, withoutBrowser } from '../support/browser.ts'
import { isLongRun } from '../support/long-run.ts'
import { PASSWORD, Person } from '../support/person.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts'

export { PASSWORD, withoutBrowser }
export const OWNER = 'owner@example.com'

/** A server with its first user, and a browser in which that user is signed in. */
export interface Stage {
  readonly server: TestServer
  readonly browser: Browser
  readonly owner: Person
  /** A window in which the owner (or whoever is given) is signed in; every error that its console shows fails the test. */
  open(options?: { person?: Person; colorScheme?: 'light' | 'dark'; width?: number }): Promise<Page>
  /** Addresses below the organization's. */
  at(path: string): string
}

/** Where screenshots are put when PHAROS_SCREENSHOTS names a folder. */
const pictures = process.env.PHAROS_SCREENSHOTS

export function useStage(options: TestServerOptions = {}): Stage {
  let server: TestServer | undefined
  let browser: Browser | undefined
  let owner: Person | undefined
  const contexts: BrowserContext[] = []
  const problems: string[] = []
  before(async () => {
    if (withoutBrowser) return
    ;[server, browser] = await Promise.all([startTestServer('sqlite', options), openBrowser()])
    assert.ok(server.running.hasDashboard, 'the dashboard is not built: npm run build')
    owner = new Person(server)
    const token = server.running.setupToken
    const made = await owner.post('/setup', { token, email: OWNER, password: PASSWORD, organizationName: 'Acme' })
    assert.equal(made.status, 201)
  })
  after(async () => {
    for (const context of contexts) await context.close()
    await browser?.close()
    await server?.stop()
    assert.deepEqual(problems, [])
  })
  return {
    get server() {
      return server as TestServer
    },
    get browser() {
      return browser as Browser
    },
    get owner() {
      return owner as Person
    },
    at: (path) => `${server?.url.replace('127.0.0.1', 'localhost')}/o/default${path}`,
    async open({ person = owner, colorScheme = 'light', width = 1280 } = {}) {
      const context = await (browser as Browser).newContext({ colorScheme, viewport: { width, height: 900 } })
      contexts.push(context)
      const [name, value] = (person?.cookie ?? '').split('=', 2)
      if (name) await context.addCookies([{ name, value: value ?? '', domain: 'localhost', path: '/' }])
      const page = await context.newPage()
      page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`))
      page.on('console', (message) => {
        // The browser itself reports every answer of 4xx; what the screen makes of it is what is tested.
        if (message.type() === 'error' && !/the server responded with a status of/.test(message.text())) {
          problems.push(`${page.url()}: ${message.text()}`)
        }
      })
      return page
    },
  }
}

/** A light screen is checked for everything, a dark one for what depends on colours. */
const rules = {
  light: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  dark: ['color-contrast', 'link-in-text-block'],
} as const

const PHONE_PX = 390
const DESKTOP_PX = 1280

/** The long run checks every screen in both colour schemes at both widths, the short run in one. */
const looks: readonly (readonly ['light' | 'dark', number])[] = isLongRun
  ? [
      ['light', PHONE_PX],
      ['light', DESKTOP_PX],
      ['dark', PHONE_PX],
      ['dark', DESKTOP_PX],
    ]
  : [['light', DESKTOP_PX]]

/** No violation that axe finds, and nothing scrolls sideways; leaves a screenshot of each look on demand. */
export async function expectAccessible(page: Page, name: string): Promise<void> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  for (const [colorScheme, width] of looks) {
    await page.emulateMedia({ colorScheme })
    await expectFits(page, name, width)
    assert.deepEqual(await violationsOn(page, rules[colorScheme]), [], `${name} in ${colorScheme} at ${width} px`)
    if (pictures !== undefined) {
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage: true })
    }
  }
  if (!isLongRun) await expectFits(page, name, PHONE_PX)
  await page.setViewportSize({ width: DESKTOP_PX, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}

async function expectFits(page: Page, name: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 })
  const widest = await page.evaluate<number>('document.documentElement.scrollWidth')
  assert.ok(widest <= width, `${name} is ${widest} px wide at ${width} px`)
}

function violationsOn(page: Page, runOnly: readonly string[]): Promise<readonly string[]> {
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] })
  // Reduced in the page: the full result is a hundred times as long.
  return page.evaluate(`axe.run(document, ${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).join(' ')))`)
}
