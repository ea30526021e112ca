import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before } from 'node:test'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { skipWithout } from './programs.ts'

/** The headless shell needs less CPU time than the whole browser. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/lib/chromium', '/snap/bin']
const usual = [
  ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

const program = process.env.CHROMIUM_PATH || usual.find((path) => existsSync(path))

/** For `describe(name, { skip: withoutBrowser }, …)`: the reason that the report shows, or false when there is none. */
export const withoutBrowser = skipWithout(program !== undefined, 'A browser (Debian: chromium, or CHROMIUM_PATH)')

/**
 * Chromium's sandbox needs rights that containers do not give; it opens nothing but pages of the tests. They live for seconds, so
 * V8's optimizing compiler takes more CPU time than it saves.
 */
const args = ['--no-sandbox', '--disable-dev-shm-usage', '--js-flags=--no-turbofan']
/** An interrupt ends the process, and with it the browser. */
const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }

/** What tests may do with the browser of their process. */
export type TestBrowser = Pick<Browser, 'newContext' | 'newPage' | 'close'>

/** A browser for the tests of the present suite. */
export function useBrowser(): { readonly browser: TestBrowser } {
  let browser: TestBrowser | undefined
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser?.close())
  return {
    get browser() {
      if (browser === undefined) throw new Error('The browser of this suite has not started')
      return browser
    },
  }
}

let running: Promise<RunningBrowser> | undefined

/**
 * The browser of this process, which starts when it is needed first and ends with the process. A browser for all processes would
 * need one that passes every message on, which costs more CPU time than starting some more. Closing it closes the windows
 * opened here.
 */
export async function openBrowser(): Promise<TestBrowser> {
  running ??= launch()
  const { browser, hold, release } = await running
  hold()
  const contexts: BrowserContext[] = []
  return {
    async newContext(options) {
      const context = await browser.newContext(options)
      contexts.push(context)
      return context
    },
    async newPage(options) {
      const page = await browser.newPage(options)
      contexts.push(page.context())
      return page
    },
    async close() {
      for (const context of contexts.splice(0)) await context.close()
      release()
    },
  }
}

/** A context that stays open until it is closed, for windows that several suites use. */
export async function openContext(options: BrowserContextOptions): Promise<BrowserContext> {
  running ??= launch()
  return (await running).browser.newContext(options)
}

/** A device that has passkeys, and a person who always agrees. */
export async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

interface RunningBrowser {
  readonly browser: Browser
  /** A browser that somebody holds keeps the process alive. */
  hold(): void
  release(): void
}

async function launch(): Promise<RunningBrowser> {
  if (program === undefined) throw new Error(String(withoutBrowser))
  // Playwright does not return the process that it starts. Its handles are needed to let the test process end.
  const started: ChildProcess[] = []
  const note = (message: unknown): void => void started.push((message as { process: ChildProcess }).process)
  subscribe('child_process', note)
  const browser = await chromium.launch({ args, ...signals, executablePath: program }).finally(() => {
    unsubscribe('child_process', note)
  })
  // The next suite starts another one after a crash.
  browser.once('disconnected', () => (running = undefined))
  const handles = started.flatMap((child) => [child, ...child.stdio]) as Partial<NodeJS.RefCounted>[]
  let holders = 0
  return {
    browser,
    hold() {
      holders += 1
      for (const handle of handles) handle?.ref?.()
    },
    release() {
      holders -= 1
      if (holders === 0) for (const handle of handles) handle?.unref?.()
    },
  }
}
