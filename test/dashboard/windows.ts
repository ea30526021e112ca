import type { BrowserContext, Page } from 'playwright-core'
import { prepareChecks } from '../support/accessibility.ts'
import { openContext } from '../support/browser.ts'
import type { Person } from '../support/person.ts'

export interface WindowOptions {
  readonly person?: Person
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
  /** A window with an empty cache, which no other test uses. Scripts and clocks can be installed in it. */
  readonly isNew?: boolean
}

export const DESKTOP_PX = 1280
/** Longer than anything takes on a busy machine; what is awaited ends the wait. */
const TIMEOUT_MS = 120_000

/**
 * Windows of ended tests, each in a browser context of its own. A new window takes half a second of CPU time more than one that
 * has loaded and compiled the dashboard before, so the next test of this process uses it again.
 */
const free: Page[] = []

/** A window is closed if its browser has crashed. */
function takeFree(): Page | undefined {
  const page = free.pop()
  return page?.isClosed() ? takeFree() : page
}

/** Opens windows for the tests of a suite. */
export class Windows {
  /** Where the server of the suite listens. */
  origin = ''
  /** Errors on the consoles of all windows. */
  readonly problems: string[] = []
  readonly #ofSuite: Page[] = []
  /** The windows of the present test. */
  #ofTest: Page[] | undefined

  beginTest(): void {
    this.#ofTest = []
  }

  async open({ person, colorScheme = 'light', width = DESKTOP_PX, isNew = false }: WindowOptions): Promise<Page> {
    const page = isNew ? await newPage() : (takeFree() ?? (await newReusablePage()))
    const opened = this.#ofTest ?? this.#ofSuite
    opened.push(page)
    const [name, value] = (person?.cookie ?? '').split('=', 2)
    if (name) await page.context().addCookies([{ name, value: value ?? '', domain: 'localhost', path: '/' }])
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

  /** What the open windows show, for the report of a test that failed. */
  async describe(): Promise<readonly string[]> {
    const open = [...this.#ofSuite, ...(this.#ofTest ?? [])].filter((page) => !page.isClosed())
    return Promise.all(open.map(async (page) => `${page.url()}\n${await shownIn(page)}`))
  }

  async endTest(): Promise<void> {
    const opened = this.#ofTest ?? []
    this.#ofTest = undefined
    for (const page of opened) await release(page, this.origin)
  }

  async close(): Promise<void> {
    for (const page of this.#ofSuite) await release(page, this.origin)
  }
}

function shownIn(page: Page): Promise<string> {
  return page.evaluate<string>('document.body.innerText.slice(0, 2000)').catch(String)
}

async function newPage(): Promise<Page> {
  const context = await openContext({ colorScheme: 'light', viewport: { width: DESKTOP_PX, height: 900 } })
  context.setDefaultTimeout(TIMEOUT_MS)
  return context.newPage()
}

const reusable = new WeakSet<Page>()

async function newReusablePage(): Promise<Page> {
  const page = await newPage()
  await prepareChecks(page)
  reusable.add(page)
  const refuse = (): never => {
    throw new Error('The next test in this window would get it, too. Open the window with isNew: true.')
  }
  Object.assign(page, { addInitScript: refuse, exposeFunction: refuse })
  Object.assign(page.clock, { install: refuse })
  return page
}

/** Leaves nothing in the window but its cache, or closes it. */
async function release(page: Page, origin: string): Promise<void> {
  const context = page.context()
  if (!page.isClosed() && reusable.has(page) && context.pages().length === 1) {
    try {
      await reset(page, context, origin)
      free.push(page)
      return
    } catch {
      // It asks whether to leave a page that is not saved, or has crashed.
    }
  }
  await context.close()
}

async function reset(page: Page, context: BrowserContext, origin: string): Promise<void> {
  for (const event of ['console', 'pageerror', 'request', 'dialog']) page.removeAllListeners(event)
  await Promise.all([context.unrouteAll(), page.unrouteAll(), context.setOffline(false)])
  // Ends the dashboard before its storage is cleared. On about:blank the window would get a new process, which would have to
  // compile the dashboard again.
  await page.goto(`${origin}/healthz`)
  await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  await Promise.all([context.clearCookies(), context.clearPermissions(), page.emulateMedia({ colorScheme: 'light' })])
  await page.setViewportSize({ width: DESKTOP_PX, height: 900 })
}
