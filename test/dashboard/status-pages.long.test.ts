import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type DnsServer, NXDOMAIN, startDnsServer } from '../support/dns-server.ts'
import { type HttpTarget, useHttpTarget } from '../support/targets.ts'
import { joinAs } from './accounts.ts'
import { type Dashboard, expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { type Body, createMonitors, got } from './publishing.ts'

interface Scene {
  readonly dashboard: Dashboard
  target: HttpTarget
  dns: DnsServer
  page: Page
  ids: Record<string, string>
}

describe('Status pages', { skip: withoutBrowser }, () => {
  const scene = {} as Scene
  // Names are asked for on loopback alone. The server reads its settings after this has run.
  const env: Record<string, string> = {}
  before(async () => {
    scene.dns = await startDnsServer(() => NXDOMAIN)
    env.PHAROS_DNS_SERVERS = scene.dns.address
  })
  const dashboard = useDashboard({ env })
  Object.assign(scene, { dashboard, target: useHttpTarget() })
  before(async () => {
    scene.page = await dashboard.open()
  })
  after(() => scene.dns[Symbol.asyncDispose]())
  making(scene)
  ordering(scene)
  publishing(scene)
})

async function thePage({ dashboard }: Scene): Promise<Body> {
  return (await got(dashboard.server.client(), '/status-pages')).data[0]
}

/** The names of the sections and of the monitors in them, as the API tells them. */
async function order(scene: Scene): Promise<Record<string, string[]>> {
  const names = new Map(Object.entries(scene.ids).map(([name, id]) => [id, name]))
  const { sections } = await thePage(scene)
  return Object.fromEntries(
    sections.map((section: Body) => [section.name, section.monitors.map((one: Body) => names.get(one.monitorId))]),
  )
}

async function save({ page }: Scene): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Unsaved changes', { exact: true }).waitFor({ state: 'hidden' })
}

function publicStatus({ dashboard }: Scene, path = ''): Promise<number> {
  return fetch(`${dashboard.server.url}/status/acme${path}`).then(({ status }) => status)
}

function making(scene: Scene): void {
  test('a page is created with a name and monitors, and is not public yet', async () => {
    const { page, dashboard } = scene
    scene.ids = await createMonitors(dashboard.server.client(), scene.target.url, ['Checkout', 'Search', 'Sign-in'])
    await page.goto(dashboard.at('/status-pages'))
    await page.getByText('No status pages yet').waitFor()
    await expectAccessible(page, 'pages-empty')
    await page.getByRole('button', { name: 'New status page' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Acme')
    await dialog.getByLabel('Address').fill('acme')
    for (const name of ['Checkout', 'Search', 'Sign-in']) await dialog.getByRole('checkbox', { name }).check()
    await expectAccessible(page, 'pages-new')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
    assert.equal(await publicStatus(scene), 404)
    assert.deepEqual(await order(scene), { Services: ['Checkout', 'Search', 'Sign-in'] })
  })

  test('the preview is what the server renders, although it is not published', async () => {
    const { page } = scene
    const frame = page.frameLocator('iframe')
    await frame.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
    await frame.getByText('Checkout').first().waitFor()
    await expectAccessible(page, 'page-editor')
    await page.getByRole('button', { name: 'Phone' }).click()
    await page.getByRole('button', { name: 'Dark' }).click()
    await frame.locator('html[data-theme="dark"]').waitFor()
    assert.equal(await page.locator('iframe').evaluate((element) => element.style.width), '390px')
    await expectAccessible(page, 'page-editor-phone')
  })

  test('settings are changed; an error is shown beside its field and opens the section that contains it', async () => {
    const { page } = scene
    await page.getByText('Name and address').click()
    await page.getByLabel('Address', { exact: true }).fill('Not A Slug')
    await page.getByText('Name and address').click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const address = page.getByLabel('Address', { exact: true })
    await address.and(page.locator('[aria-invalid="true"]')).waitFor()
    await expectAccessible(page, 'page-editor-refused')
    await address.fill('acme')
    await page.getByLabel('Description').fill('How Acme is doing')
    await page.getByText('Appearance').click()
    await page.getByLabel('Language').selectOption('Deutsch')
    await page.getByLabel('Accent color', { exact: true }).fill('#7a1fa2')
    await save(scene)
    const saved = await thePage(scene)
    assert.equal(saved.locale, 'de')
    assert.equal(saved.accentColor, '#7a1fa2')
    await page.frameLocator('iframe').getByText('How Acme is doing').waitFor()
    await expectAccessible(page, 'page-editor-settings')
  })
}

function ordering(scene: Scene): void {
  test('sections and monitors are reordered by buttons and keys, and the moved item keeps the focus', async () => {
    const { page, dashboard } = scene
    const { id } = await thePage(scene)
    await page.goto(dashboard.at(`/status-pages/${id}`))
    await page.getByRole('button', { name: 'Move Sign-in up' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Sign-in moved up').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Move Sign-in up' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Add section' }).click()
    await page.getByLabel('Section 2').fill('Payments')
    await page.getByRole('button', { name: 'Move Search down' }).click()
    await page.getByLabel('Display name of Search').fill('Product search')
    await save(scene)
    assert.deepEqual(await order(scene), { Services: ['Sign-in', 'Checkout'], Payments: ['Search'] })
    assert.equal((await thePage(scene)).sections[1].monitors[0].displayName, 'Product search')
    await page.frameLocator('iframe').getByText('Product search').first().waitFor()
    await page.getByRole('button', { name: 'Move section Payments up' }).click()
    await save(scene)
    assert.deepEqual(Object.keys(await order(scene)), ['Payments', 'Services'])
    await expectAccessible(page, 'page-editor-sections')
  })

  test('sections and monitors can be dragged, also between sections', async () => {
    const { page } = scene
    const grip = (what: string) => page.locator(`[data-grip="${what}"]`)
    await grip('Checkout').dragTo(page.getByLabel('Display name of Search'))
    await page.getByText('Unsaved changes', { exact: true }).waitFor()
    await grip('section Services').dragTo(page.getByLabel('Section 1'))
    await save(scene)
    assert.deepEqual(await order(scene), { Services: ['Sign-in'], Payments: ['Checkout', 'Search'] })
    assert.deepEqual(Object.keys(await order(scene)), ['Services', 'Payments'])
  })

  test('monitors are added and removed', async () => {
    const { page } = scene
    await page.getByRole('button', { name: 'Remove Checkout' }).click()
    await page.getByRole('button', { name: 'Add monitors' }).first().click()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByRole('checkbox', { name: 'Sign-in' }).count(), 0)
    await dialog.getByRole('checkbox', { name: 'Checkout' }).check()
    await expectAccessible(page, 'page-editor-add')
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await save(scene)
    assert.deepEqual(await order(scene), { Services: ['Sign-in', 'Checkout'], Payments: ['Search'] })
  })

  test('unsaved changes survive leaving the editor, and closing the window asks for confirmation', async () => {
    const { page, dashboard } = scene
    await page.getByLabel('Section 1').fill('Shop')
    await page.getByText('Unsaved changes', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Webhooks' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave, keep draft' }).click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    await page.goBack()
    await page.getByText('Your unsaved changes were restored.').waitFor()
    assert.equal(await page.getByLabel('Section 1').inputValue(), 'Shop')
    // Somebody else's change of another field stays.
    const { id } = await thePage(scene)
    await dashboard.server.client().patch(`/status-pages/${id}`, { description: 'Changed elsewhere' })
    await page.getByText('Someone else has saved this page.').waitFor()
    await expectAccessible(page, 'page-editor-unsaved')
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type())
        void dialog.dismiss()
      })
    })
    await page.close({ runBeforeUnload: true })
    assert.equal(await asked, 'beforeunload')
    await save(scene)
    const saved = await thePage(scene)
    assert.equal(saved.description, 'Changed elsewhere')
    assert.equal(saved.sections[0].name, 'Shop')
  })
}

function publishing(scene: Scene): void {
  test('a published page is public, and an unpublished one is 404', async () => {
    const { page, dashboard } = scene
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('button', { name: 'Unpublish' }).waitFor()
    assert.equal(await publicStatus(scene), 200)
    assert.ok(await page.getByRole('link', { name: 'View page' }).isVisible())
    await page.goto(dashboard.at('/status-pages'))
    await page.getByText('1 page published, all systems operational.').waitFor()
    await expectAccessible(page, 'pages-list')
    await page.getByRole('link', { name: 'Acme', exact: true }).click()
    await page.getByRole('button', { name: 'Unpublish' }).click()
    await page.getByText('stop working until you publish it again').waitFor()
    await expectAccessible(page, 'page-unpublish')
    await page.getByRole('dialog').getByRole('button', { name: 'Unpublish' }).click()
    await page.getByRole('button', { name: 'Publish', exact: true }).waitFor()
    assert.equal(await publicStatus(scene), 404)
  })

  test('a password protects the page and is not kept in the form', async () => {
    const { page } = scene
    await page.getByText('Access', { exact: true }).click()
    await page.getByLabel('Visibility').selectOption('Password-protected')
    await page.getByLabel('Password', { exact: true }).fill('only for friends')
    assert.doesNotMatch(await page.evaluate('JSON.stringify(sessionStorage)'), /only for friends/)
    await expectAccessible(page, 'page-editor-access')
    await save(scene)
    assert.equal((await thePage(scene)).passwordSet, true)
    await page.getByLabel('New password').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Published, password-protected').waitFor()
    assert.equal(await publicStatus(scene), 401)
  })

  test('a domain is checked once it is saved', async () => {
    const { page } = scene
    await page.getByText('Name and address').click()
    await page.getByLabel('Custom domain').fill('status.pharos.invalid')
    await save(scene)
    await page.getByText('Not checked yet').waitFor()
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('Does not point here').waitFor()
    assert.ok(scene.dns.questions.some(({ name }) => name === 'status.pharos.invalid'))
    await expectAccessible(page, 'page-editor-domain')
  })

  test('a viewer can see everything but change nothing', async () => {
    const { dashboard } = scene
    const foreign = await dashboard.open({ person: await joinAs(dashboard, 'viewer@example.com', 'VIEWER') })
    await foreign.goto(dashboard.at(`/status-pages/${(await thePage(scene)).id}`))
    await foreign.getByText('Viewers can’t edit status pages').waitFor()
    for (const name of ['Save', 'Unpublish', 'Delete', 'Add section', 'Move Search up']) {
      assert.equal(await foreign.getByRole('button', { name }).count(), 0, name)
    }
    assert.ok(await foreign.getByLabel('Section 1').isDisabled())
    await foreign.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor()
    await expectAccessible(foreign, 'page-viewer')
    await foreign.goto(dashboard.at('/status-pages'))
    await foreign.getByRole('link', { name: 'Acme', exact: true }).waitFor()
    assert.equal(await foreign.getByRole('button', { name: 'New status page' }).count(), 0)
  })

  test('the deletion dialog lists what is deleted and requires the address to be typed', async () => {
    const { page, dashboard } = scene
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('become available to others').waitFor()
    await expectAccessible(page, 'page-delete')
    assert.ok(await page.getByRole('button', { name: 'Delete permanently' }).isDisabled())
    await page.getByLabel('Type acme to confirm').fill('acme')
    await page.keyboard.press('Enter')
    await page.getByText('No status pages yet').waitFor()
    assert.equal((await got(dashboard.server.client(), '/status-pages')).pagination.total, 0)
    await page.goto(dashboard.at('/status-pages/page_none'))
    await page.getByText('Status page not found').waitFor()
    await expectAccessible(page, 'page-missing')
  })
}
