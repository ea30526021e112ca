import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createDelivery, createEndpoint } from '../support/webhooks.ts'
import { addressOf, fillSignIn, INSIDE, openOutside } from './accounts.ts'
import { expectFits, expectNoViolations, OWNER, takePictures, useDashboard, withoutBrowser } from './dashboard.ts'
import { machineTextIn } from './machine-text.ts'
import { createAt } from './publishing.ts'
import { fillWorkspace } from './sample-workspace.ts'

/** The path of every screen of the workspace, and its heading. */
type Screens = Readonly<Record<string, string | RegExp>>

/** Every screen once. What each shows in its other states, in the dark and on a phone, the long run checks. */
describe('A walk through the dashboard', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })
  const stack = new AsyncDisposableStack()
  let screens: Screens
  before(async () => {
    screens = await screensOf(dashboard, stack)
  })
  after(() => stack.disposeAsync())

  test('a user can sign in, open the organization, and sign out', async () => {
    const page = await openOutside(dashboard)
    await page.goto(addressOf(dashboard.server, '/'))
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
    await expectNoViolations(page, 'sign-in')
    await fillSignIn(page, OWNER)
    await page.waitForURL(INSIDE)
    await page
      .getByRole('button', { name: /^Acme: organizations/ })
      .locator('visible=true')
      .click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).locator('visible=true').click()
    await page.waitForURL(/\/sign-in/)
  })

  test('every screen opens, fits on a phone, and has no violation that axe finds and no text of machines', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/'))
    for (const [path, name] of Object.entries(screens)) {
      // Like a link. Loading the dashboard again takes longer than the screen.
      await page.evaluate(`history.pushState({}, '', ${JSON.stringify(dashboard.at(path))})`)
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      await page.getByRole('main').getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' })
      await expectNoViolations(page, path)
      assert.equal(await page.getByText('Something broke').count(), 0, path)
      assert.deepEqual(await machineTextIn(page), [], `${path} shows ids, enum values, field names or ISO times`)
      for (const width of [360, 768, 1280, 1920, 2560]) await expectFits(page, path, width)
      await takePictures(page, `walk${path.replaceAll(/[^\w]+/g, '-')}`)
    }
  })

  test('the navigation links to every screen', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/'))
    for (const name of ['Monitors', 'Incidents', 'Maintenance', 'Status pages', 'Webhooks']) {
      await page
        .getByRole('navigation')
        .getByRole('link', { name, exact: true })
        .locator('visible=true')
        .first()
        .click()
      const heading = name === 'Maintenance' ? 'Maintenance windows' : name
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
    }
  })
})

async function screensOf(dashboard: ReturnType<typeof useDashboard>, stack: AsyncDisposableStack): Promise<Screens> {
  const { server } = dashboard
  const client = server.client()
  const ids = await fillWorkspace(dashboard, stack)
  const sections = [{ name: 'Shop', monitors: [{ monitorId: ids.shop }, { monitorId: ids.checkout }] }]
  const statusPage = await createAt(client, '/status-pages', { name: 'Acme status', sections })
  const published = await createAt(client, '/status-incidents', {
    title: 'Payments fail',
    statusPageIds: [statusPage.id],
    message: 'Investigating.',
  })
  const endpoint = await createEndpoint(client)
  const delivery = await createDelivery(client, endpoint.id)
  const window = (await client.get('/maintenance-windows')).body.data[0]
  const incident = (await client.get('/incidents')).body.data[0]
  return {
    '/': /^Overview: .+ is down \(/,
    '/monitors': 'Monitors',
    '/monitors/new': 'New monitor',
    [`/monitors/${ids.shop}`]: 'Shop',
    [`/monitors/${ids.shop}/edit`]: /Shop/,
    '/incidents': 'Incidents',
    [`/incidents/${incident.id}`]: / (is|was) down$/,
    '/published': 'Published incidents',
    '/published/new': 'Publish incident',
    [`/published/${published.id}`]: 'Payments fail',
    '/maintenance': 'Maintenance windows',
    '/maintenance/new': 'Schedule maintenance',
    [`/maintenance/${window.id}`]: window.name,
    '/status-pages': 'Status pages',
    [`/status-pages/${statusPage.id}`]: 'Acme status',
    '/webhooks': 'Webhooks',
    [`/webhooks/${endpoint.id}`]: /hooks\.example/,
    [`/webhooks/deliveries/${delivery.id}`]: 'webhook.test',
    '/reports/uptime': 'Uptime report',
    '/settings/organization': 'Organization',
    '/settings/members': 'Members',
    '/settings/contacts': 'Alert contacts',
    '/settings/keys': 'API keys',
    '/settings/audit': 'Audit log',
    '/settings/account': 'Your account',
  }
}
