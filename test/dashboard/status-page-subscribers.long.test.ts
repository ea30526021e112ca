import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { execute, q } from '../../src/storage/query.ts'
import { confirmed } from '../notifications/subscribers/mailing.ts'
import { joinAs } from './accounts.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('subscribers of a status page', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('are counted, searched, paged and removed, and an empty list says how to turn subscriptions on', async () => {
    const { owner, server } = dashboard
    const { body } = await owner.post('/v1/status-pages', { name: 'Acme', slug: 'acme', published: true })
    const page = await dashboard.open()
    await page.goto(dashboard.at(`/status-pages/${body.id}`))
    await page.getByText('Subscriptions are off').waitFor()
    await expectAccessible(page, 'subscribers-off')
    await owner.patch(`/v1/status-pages/${body.id}`, { subscribersEnabled: true })
    await page.getByText('No subscribers yet').waitFor()

    const orgId = await server.defaultOrgId()
    const rows = [
      ...Array.from({ length: 52 }, (_, i) => confirmed(orgId, body.id, `${i}`, `user${i}@example.com`)),
      { ...confirmed(orgId, body.id, 'p', 'waiting@example.com'), state: 'PENDING' as const, confirmed_at: null },
      {
        ...confirmed(orgId, body.id, 'w', 'webhook:hash'),
        kind: 'WEBHOOK' as const,
        sealed_url: 'x',
        label: 'https://example.com/…abcd',
        failing_since: 5,
        last_error: 'The endpoint returned HTTP 500',
      },
    ]
    await server.running.database.write(() => execute(q.insertInto('subscribers').values(rows)))
    await page.reload()
    await page.getByText('52 confirmed · 1 pending').waitFor()
    await page.getByText('https://example.com/…abcd').waitFor()
    await page.getByText('Failing').waitFor()
    await page.getByText('1 – 50 of 54').waitFor()
    await expectAccessible(page, 'subscribers')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('51 – 54 of 54').waitFor()

    await page.getByLabel('Search subscribers').fill('user51@')
    await page.getByText('user51@example.com').waitFor()
    await page.getByText('user50@example.com').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove user51@example.com' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByText('Subscriber removed').waitFor()
    await page.getByText('No matches').waitFor()
    await expectAccessible(page, 'subscribers-no-match')
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText('51 confirmed · 1 pending').waitFor()
    await page.getByRole('group', { name: 'Kind' }).getByRole('button', { name: 'Webhook' }).click()
    await page.getByText('waiting@example.com').waitFor({ state: 'detached' })

    const viewer = await dashboard.open({ person: await joinAs(dashboard, 'viewer@example.com', 'VIEWER') })
    await viewer.goto(dashboard.at(`/status-pages/${body.id}`))
    await viewer.getByText('https://example.com/…abcd').waitFor()
    assert.equal(await viewer.getByRole('button', { name: /^Remove https/ }).count(), 0)
  })

  test('the public page offers Slack and webhook without a mail server', async () => {
    const page = await (await dashboard.browser.newContext()).newPage()
    await page.goto(`${dashboard.server.url}/status/acme`)
    await page.getByRole('link', { name: 'Subscribe', exact: true }).click()
    await page.getByRole('heading', { name: 'Subscribe to updates' }).waitFor()
    assert.equal(await page.getByLabel('E-mail address').count(), 0)
    await page.getByRole('heading', { name: 'Subscribe via Slack' }).waitFor()
    await expectAccessible(page, 'subscribe-endpoints')
    await page.getByLabel('Webhook URL', { exact: true }).fill('https://127.0.0.1/hook')
    await page.getByLabel('Webhook URL', { exact: true }).press('Enter')
    await page.getByRole('alert').getByText('Enter a public URL').waitFor()
    await expectAccessible(page, 'subscribe-endpoint-invalid')
  })
})
