import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { after, before } from 'node:test'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/lib/chromium', '/snap/bin']
const usual = [
  ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

const program = process.env.CHROMIUM_PATH || usual.find((path) => existsSync(path))

if (program === undefined && process.env.CI === 'true') {
  throw new Error('CI tests pages in a browser, but none was found: install chromium, or name one in CHROMIUM_PATH.')
}

/** For `describe(name, { skip: withoutBrowser }, …)`: the reason that the report shows, or false when there is none. */
export const withoutBrowser =
  program === undefined ? 'no browser was found: install chromium, or name one in CHROMIUM_PATH' : false

/** A browser for the tests of the present suite. */
export function useBrowser(): { readonly browser: Browser } {
  let browser: Browser | undefined
  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser?.close())
  return {
    get browser() {
      if (browser === undefined) throw new Error('The browser of this suite has not started')
      return browser
    },
  }
}

export function launchBrowser(): Promise<Browser> {
  if (program === undefined) throw new Error(String(withoutBrowser))
  // Its sandbox needs rights that containers do not give; it sees nothing but our own pages.
  return chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}
