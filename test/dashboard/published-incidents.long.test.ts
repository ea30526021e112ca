import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import type { Client } from '../support/server.ts'
import { type HttpTarget, useHttpTarget } from '../support/targets.ts'
import { joinAs } from './accounts.ts'
import { type Dashboard, expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { type Body, createAt, createMonitors, got } from './publishing.ts'

interface Scene {
  readonly dashboard: Dashboard
  readonly target: HttpTarget
  page: Page
  ids: Record<string, string>
  statusPage: Body
}

describe('Published incidents', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const scene = { dashboard, target: useHttpTarget() } as Scene
  before(async () => {
    scene.page = await dashboard.open()
  })
  writing(scene)
  fromAnOutage(scene)
})

function client({ dashboard }: Scene): Client {
  return dashboard.server.client()
}

async function publicText({ dashboard }: Scene): Promise<string> {
  return (await fetch(`${dashboard.server.url}/status/acme`)).text()
}

function readersSee(scene: Scene, text: RegExp): Promise<void> {
  return eventually(async () => assert.match(await publicText(scene), text))
}

function writing(scene: Scene): void {
  test('nothing can be published before there is a page', async () => {
    const { page, dashboard } = scene
    await page.goto(dashboard.at('/published'))
    await page.getByText('No incidents on your status pages right now').waitFor()
    await expectAccessible(page, 'published-empty')
    await page.getByRole('link', { name: 'Publish incident' }).first().click()
    await page.getByText('No status pages yet').waitFor()
    await expectAccessible(page, 'published-new-without-page')
  })

  test('an incident can be published by keyboard and appears on the public page', async () => {
    const { page, dashboard } = scene
    scene.ids = await createMonitors(client(scene), scene.target.url, ['Checkout', 'Search', 'Sign-in'])
    const monitors = Object.values(scene.ids).map((monitorId) => ({ monitorId }))
    scene.statusPage = await createAt(client(scene), '/status-pages', {
      name: 'Acme',
      slug: 'acme',
      sections: [{ name: 'Shop', monitors }],
    })
    await page.goto(dashboard.at('/published/new'))
    await page.getByLabel('Title').focus()
    await page.keyboard.type('Payments are slow')
    await page.keyboard.press('Tab')
    // The radio button that is chosen has the focus; the arrow chooses the next.
    await page.keyboard.press('ArrowRight')
    assert.ok(await page.getByRole('radio', { name: 'Identified' }).isChecked())
    await page.getByLabel('Message').fill('We are **on it**.\n\n- cards\n- transfers')
    await page.getByLabel('Status of Checkout').selectOption('Partial outage')
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('Payments are slow').waitFor()
    assert.equal(await preview.locator('strong').textContent(), 'on it')
    assert.equal(await preview.getByRole('listitem').filter({ hasText: 'transfers' }).count(), 1)
    await expectAccessible(page, 'published-new')
    await page.getByLabel('Message').focus()
    await page.getByRole('button', { name: 'Publish' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Payments are slow' }).waitFor()
    const [created] = (await got(client(scene), '/status-incidents')).data
    assert.equal(created.status, 'IDENTIFIED')
    assert.deepEqual(created.affectedMonitors, [{ monitorId: scene.ids.Checkout, status: 'PARTIAL_OUTAGE' }])
    assert.deepEqual(created.statusPageIds, [scene.statusPage.id])
    await readersSee(scene, /Payments are slow/)
    await expectAccessible(page, 'published-view')
  })

  test('an error from the server is shown beside its field', async () => {
    const { page, dashboard } = scene
    await page.goto(dashboard.at('/published/new'))
    await page.getByLabel('Title').fill('No page is chosen')
    await page.getByLabel('Message').fill('Text')
    await page.getByRole('checkbox', { name: 'Acme' }).uncheck()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Choose at least one status page').waitFor()
    await expectAccessible(page, 'published-new-refused')
    assert.equal((await got(client(scene), '/status-incidents')).pagination.total, 1)
  })

  test('an update is posted with a template, edited, and resolved; a post-mortem follows', async () => {
    const { page, dashboard, ids } = scene
    await page.goto(dashboard.at('/published'))
    await page.getByRole('link', { name: 'Payments are slow' }).click()
    await page.getByRole('button', { name: 'Monitoring a fix' }).click()
    assert.match(await page.getByLabel('Message').inputValue(), /Checkout is recovering/)
    await page.getByRole('button', { name: 'Post update' }).click()
    await page.getByText('A fix is in place and Checkout is recovering').first().waitFor()
    await readersSee(scene, /A fix is in place/)

    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Payments were slow')
    await expectAccessible(page, 'published-edit')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Payments were slow' }).waitFor()
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Resolve…' }).click()
    assert.match(await page.getByLabel('Message').inputValue(), /is working normally again/)
    await page.getByRole('button', { name: 'Resolve', exact: true }).click()
    await page.getByText(/resolved after/).waitFor()
    const [resolved] = (await got(client(scene), '/status-incidents')).data
    assert.equal(resolved.status, 'RESOLVED')
    assert.deepEqual(resolved.affectedMonitors, [{ monitorId: ids.Checkout, status: 'OPERATIONAL' }])
    assert.equal(resolved.updates.length, 3)

    await page.getByRole('button', { name: 'Write post-mortem' }).click()
    await page.getByRole('dialog').getByLabel('Text').fill('## Why\n\nA full disk.')
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('A full disk.').waitFor()
    const own = await fetch(`${dashboard.server.url}/status/acme/incidents/${resolved.id}`)
    assert.match(await own.text(), /A full disk\./)
    await expectAccessible(page, 'published-resolved')
    await page.goto(dashboard.at('/published?show=resolved'))
    await page.getByRole('link', { name: 'Payments were slow' }).waitFor()
    await expectAccessible(page, 'published-list')
  })
}

function fromAnOutage(scene: Scene): void {
  test('a detected incident is published with its monitor and start time filled in', async () => {
    const { page, dashboard, ids, target } = scene
    target.status = 503
    const { body } = await client(scene).post(`/monitors/${ids.Search}/check`, {})
    assert.equal(body.state, 'DOWN')
    const [detected] = (await got(client(scene), '/incidents')).data
    await page.goto(dashboard.at(`/published/new?incidentId=${detected.id}`))
    await page.getByText(/^Prefilled from the /).waitFor()
    assert.equal(await page.getByLabel('Title').inputValue(), 'Search outage')
    assert.ok(await page.getByRole('checkbox', { name: 'Acme' }).isChecked())
    assert.equal(await page.getByLabel('Status of Search').inputValue(), 'MAJOR_OUTAGE')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('heading', { level: 1, name: 'Search outage' }).waitFor()
    const [created] = (await got(client(scene), '/status-incidents')).data
    assert.equal(created.incidentId, detected.id)
    assert.equal(created.startedAt, detected.startedAt)
    await readersSee(scene, /Search outage/)
    await page.goto(dashboard.at('/published'))
    await page.getByText('1 active incident, 1 resolved').waitFor()
    await expectAccessible(page, 'published-active')
  })

  test('updates by other users appear without a reload', async () => {
    const { page, dashboard } = scene
    const [open] = (await got(client(scene), '/status-incidents')).data
    await page.goto(dashboard.at(`/published/${open.id}`))
    await page.getByText('Newest first').waitFor()
    await client(scene).post(`/status-incidents/${open.id}/updates`, {
      status: 'MONITORING',
      message: 'From elsewhere',
    })
    await page.getByText('From elsewhere').waitFor()
  })

  test('a viewer can read it but not change it', async () => {
    const { dashboard } = scene
    const viewer = await joinAs(dashboard, 'viewer@example.com', 'VIEWER')
    const foreign = await dashboard.open({ person: viewer })
    const [open] = (await got(client(scene), '/status-incidents')).data
    await foreign.goto(dashboard.at(`/published/${open.id}`))
    await foreign.getByText('From elsewhere').waitFor()
    for (const name of ['Edit', 'Delete', 'Post update', 'Resolve…']) {
      assert.equal(await foreign.getByRole('button', { name }).count(), 0, name)
    }
    await foreign.goto(dashboard.at('/published/new'))
    await foreign.getByText('Viewers can’t publish incidents').waitFor()
    await expectAccessible(foreign, 'published-new-viewer')
    assert.equal(await foreign.getByRole('button', { name: 'Publish' }).count(), 0)
  })

  test('the deletion dialog lists what is deleted, and the incident disappears from the page', async () => {
    const { page } = scene
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText(/removed from every status page/).waitFor()
    await expectAccessible(page, 'published-delete')
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('No incidents on your status pages right now').waitFor()
    await eventually(async () => assert.doesNotMatch(await publicText(scene), /Search outage/))
  })

  test('a missing incident shows Not found', async () => {
    const { page, dashboard } = scene
    await page.goto(dashboard.at('/published/sinc_none'))
    await page.getByText('Published incident not found').waitFor()
    await expectAccessible(page, 'published-missing')
  })
}
