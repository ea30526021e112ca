import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { check, outage } from '../monitoring/incidents/incidents.ts'
import { quickTiming } from '../notifications/contacts/alerting.ts'
import { startService } from '../notifications/contacts/service.ts'
import { eventually } from '../support/eventually.ts'
import { type HttpTarget, startHttpTarget } from '../support/targets.ts'
import { joinAs } from './accounts.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { createAt, createMonitors } from './publishing.ts'

describe('The page of an incident', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({
    env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' },
    alertPace: { ...quickTiming, retryDelaysMs: [] },
  })
  const stack = new AsyncDisposableStack()
  let target: HttpTarget
  let page: Page
  let id: string
  let ids: Record<string, string>
  before(async () => {
    target = stack.use(await startHttpTarget())
    const good = stack.use(await startService(() => ({ status: 200 })))
    const bad = stack.use(await startService(() => ({ status: 500 })))
    for (const [name, { url }] of Object.entries({ 'On call': good, 'Team chat': bad })) {
      await dashboard.owner.post('/v1/contacts', { name, channel: 'WEBHOOK', settings: { url } })
    }
    const client = dashboard.server.client()
    ids = await createMonitors(client, target.url, ['Accounts', 'Billing', 'Checkout'])
    target.status = 503
    target.body = '<h1>Service Unavailable</h1>'
    id = (await outage(client, ids.Checkout as string)).id
    page = await dashboard.open()
  })
  after(() => stack.disposeAsync())

  test('shows who was alerted, by which channel, and whether the message arrived', async () => {
    await page.goto(dashboard.at(`/incidents/${id}`))
    await page.getByRole('heading', { name: 'Checkout is down' }).waitFor()
    await page.getByText(/^Sent, /).waitFor()
    await page.getByText(/^Failed after 1 attempt, /).waitFor()
    await page.getByText('Alert sent to On call (Webhook)').waitFor()
    await page.getByText('Alert could not be delivered to Team chat (Webhook)').waitFor()
    await page.getByRole('heading', { name: 'Changes around that time' }).waitFor()
    const created = page.getByText(/\(API key\) created Checkout/)
    await created.first().waitFor()
    const others = page.locator('details').filter({ hasText: /changes? of something else/ })
    await others.locator('summary').waitFor()
    assert.ok(!(await others.getByRole('listitem').first().isVisible()), 'changes of other monitors are folded')
  })

  test('members add, edit and delete notes; everybody sees them at once', async () => {
    const viewer = await joinAs(dashboard, 'viewer@example.com', 'VIEWER')
    const other = await dashboard.open({ person: viewer })
    await other.goto(dashboard.at(`/incidents/${id}`))
    await page.getByLabel('Add a note').fill('Restarting **web-2**')
    await page.getByRole('button', { name: 'Add note' }).click()
    await other.getByText('web-2').waitFor()
    assert.equal(await other.getByLabel('Add a note').count(), 0)
    assert.equal(await other.getByRole('button', { name: 'Edit' }).count(), 0)
    assert.equal(await other.getByRole('heading', { name: 'Changes around that time' }).count(), 0)
    const note = page.getByRole('article')
    await note.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Edit note').fill('Restarting **web-3**')
    await page.getByRole('button', { name: 'Save' }).click()
    await other.getByText('web-3').waitFor()
    await other.getByText(/edited/).waitFor()
    await page.getByLabel('Add a note').fill('Database is fine')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByText('Database is fine').waitFor()
    await page.getByRole('article').last().getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await eventually(async () => assert.equal(await other.getByRole('article').count(), 1))
  })

  test('publishing has the monitor selected, on top of the list, and the update appears in the timeline', async () => {
    const monitors = Object.values(ids).map((monitorId) => ({ monitorId }))
    await createAt(dashboard.server.client(), '/status-pages', {
      name: 'Acme',
      slug: 'acme',
      published: true,
      sections: [{ name: 'Services', monitors }],
    })
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByText(/^Acknowledged by .+ on /).waitFor()
    await page.getByRole('link', { name: 'Publish to status page' }).click()
    const first = page
      .getByRole('group', { name: /Affected monitors/ })
      .getByRole('combobox')
      .first()
    assert.equal(await first.getAttribute('aria-label'), 'Status of Checkout')
    assert.equal(await first.inputValue(), 'MAJOR_OUTAGE')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('heading', { name: 'Checkout outage' }).first().waitFor()
    await page.goto(dashboard.at(`/incidents/${id}`))
    await page.getByText('Published: Investigating').waitFor()
    await page.getByText(/^Published as/).waitFor()
    await page.locator('a[href*="/published/"]', { hasText: 'Post an update' }).waitFor()
  })

  test('the timeline is in order, and readable in every size and colour', async () => {
    target.status = 200
    const client = dashboard.server.client()
    await eventually(async () => assert.equal((await check(client, ids.Checkout as string)).state, 'UP'))
    await page.getByText('Recovery alert sent to On call (Webhook)').waitFor()
    const times = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main ol')[0].children].map((row) => row.querySelector('time').dateTime)`,
    )
    assert.ok(times.length >= 7)
    assert.deepEqual(times, times.toSorted())
    await expectAccessible(page, 'incident-page')
  })
})
