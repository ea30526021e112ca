import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { openBrowser, type TestBrowser } from '../../test/support/browser.ts'
import { PASSWORD, Person } from '../../test/support/person.ts'
import { startTestServer, type TestServer } from '../../test/support/server.ts'
import { startTargets } from './targets.ts'
import { fillWorkspace, type Workspace } from './workspace.ts'

const folder = join(import.meta.dirname, '../../docs/screenshots')

interface Picture {
  /** Below the server's address. */
  readonly path: string
  readonly width?: number
  /** Without it, the whole page. */
  readonly height?: number
  readonly dark?: true
}

function picturesOf({ monitors, statusPage, publishedId, incidentId }: Workspace): Readonly<Record<string, Picture>> {
  const at = (path: string) => `/o/default${path}`
  const phone = { width: 390, height: 844, dark: true } as const
  return {
    'dashboard-overview': { path: at('/'), height: 800 },
    'dashboard-monitors': { path: at('/monitors'), height: 800 },
    'dashboard-monitor-down': { path: at(`/monitors/${monitors.checkout}`), height: 1000 },
    'dashboard-incident': { path: at(`/incidents/${incidentId}`), height: 900 },
    'dashboard-maintenance-list': { path: at('/maintenance'), height: 800 },
    'dashboard-page-editor': { path: at(`/status-pages/${statusPage.id}`), height: 900 },
    'dashboard-published-view': { path: at(`/published/${publishedId}`), height: 800 },
    'dashboard-settings-keys': { path: at('/settings/keys'), height: 800 },
    'dashboard-wall-board': { path: at('/?board'), width: 1920, height: 1080 },
    'dashboard-webhooks-list': { path: at('/webhooks'), height: 800 },
    'dashboard-phone': { path: at('/monitors'), ...phone },
    'status-page': { path: '/status/acme', height: 1000 },
    'status-page-phone': { path: '/status/acme', ...phone },
    'status-page-monitor': { path: `/status/acme/monitors/${monitors.checkout}` },
  }
}

export async function takeScreenshots(stage: string, part: string): Promise<void> {
  await using targets = await startTargets(stage)
  await using server = await startTestServer('sqlite', { env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })
  const browser = await openBrowser()
  try {
    const context = await signedIn(browser, server)
    const pictures = picturesOf(await fillWorkspace(server, targets))
    for (const [name, picture] of Object.entries(pictures)) {
      if (!name.includes(part)) continue
      await take(context, server, picture, join(folder, `${name}.png`))
      process.stdout.write(`${name}.png\n`)
    }
  } finally {
    await browser.close()
  }
}

async function signedIn(browser: TestBrowser, server: TestServer): Promise<BrowserContext> {
  const owner = new Person(server)
  const token = server.setupToken
  await owner.post('/setup', { token, email: 'anna@shop.example', password: PASSWORD, organizationName: 'Acme' })
  const [name, value] = (owner.cookie ?? '').split('=', 2)
  const context = await browser.newContext({ timezoneId: 'UTC', locale: 'en-US' })
  await context.addCookies([{ name: name ?? '', value: value ?? '', domain: 'localhost', path: '/' }])
  return context
}

async function take(context: BrowserContext, server: TestServer, picture: Picture, file: string): Promise<void> {
  const { path, width = 1280, height = 900, dark } = picture
  const page = await context.newPage()
  await page.emulateMedia({ colorScheme: dark === undefined ? 'light' : 'dark' })
  await page.setViewportSize({ width, height })
  await page.goto(`${server.url.replace('127.0.0.1', 'localhost')}${path}`, { waitUntil: 'load' })
  await page.getByRole('heading').first().waitFor()
  if (path === '/o/default/') {
    // The first steps, and then the message that they are hidden.
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('Setup checklist hidden').waitFor()
    await page.reload()
    await page.mouse.move(0, 0)
  }
  // Charts and the preview are drawn after the data has arrived; the event stream keeps the network busy.
  await page.waitForTimeout(2500)
  await page.screenshot({ path: file, fullPage: picture.height === undefined })
  await page.close()
}
