import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
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

/** Where the browser of the whole run listens; the global setup sets it where the run needs a browser. */
const urlVariable = 'PHAROS_TEST_BROWSER_URL'

/**
 * Chromium's sandbox needs rights that containers do not give; it opens nothing but pages of the tests. They live for seconds, so
 * V8's optimizing compiler takes more CPU time than it saves.
 */
const launchOptions = { args: ['--no-sandbox', '--disable-dev-shm-usage', '--js-flags=--no-turbofan'] }

/** A browser for the tests of the present suite. */
export function useBrowser(): { readonly browser: Browser } {
  let browser: Browser | undefined
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

/** Connects to the browser of the run, or starts one where there is none. Closing it closes the windows opened here. */
export function openBrowser(): Promise<Browser> {
  const url = process.env[urlVariable]
  if (url !== undefined) return chromium.connect(url)
  return chromium.launch({ ...launchOptions, executablePath: programPath() })
}

/** Starts the browser that all test processes of this run share. */
export async function startSharedBrowser(): Promise<{ close(): Promise<void> }> {
  // An interrupt ends the run, which closes it.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  const server = await chromium.launchServer({ ...launchOptions, ...signals, executablePath: programPath() })
  process.env[urlVariable] = server.wsEndpoint()
  return server
}

function programPath(): string {
  if (program === undefined) throw new Error(String(withoutBrowser))
  return program
}
