import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Received, startService } from '../notifications/contacts/service.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Dashboard, expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('alert contacts', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })

  test('a contact is added with the fields of its channel, tested, fails with a reason, and is deleted', async () => {
    await using receiver = await startReceiver()
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/contacts'))
    await page.getByText('No alert contacts yet').waitFor()
    await expectAccessible(page, 'settings-contacts-empty')
    await page.getByRole('button', { name: 'New alert contact' }).first().click()
    await page.getByLabel('Name').fill('On call')
    const labels = await page.getByLabel('Channel').locator('option').allTextContents()
    assert.equal(labels.length, 11)
    await page.getByText('E-mail isn’t set up on this installation').waitFor()
    assert.equal(await page.getByLabel('Channel').inputValue(), 'SLACK', 'not a channel that cannot deliver')
    assert.equal(await page.getByRole('option', { name: 'E-mail' }).isDisabled(), true)
    await page.getByLabel('Channel').selectOption('PagerDuty')
    await page.getByLabel('Routing key').fill('too-short')
    await page.getByRole('button', { name: 'Add contact' }).click()
    await page.getByText('Routing key must be 32 letters and digits', { exact: true }).waitFor()
    assert.equal(await page.getByLabel('Routing key').getAttribute('aria-invalid'), 'true')
    await expectAccessible(page, 'settings-contact-fault')
    await page.getByLabel('Channel').selectOption('Webhook (JSON)')
    await page.getByLabel('URL', { exact: true }).fill(receiver.url)
    await page
      .getByRole('dialog')
      .getByText(/^Alerts/)
      .click()
    await page.getByLabel('DNS records change').uncheck()
    await page.getByLabel('Language of messages').selectOption('Deutsch')
    await page.getByLabel('Time zone').fill('Europe/Berlin')
    await page.getByRole('button', { name: 'Add contact' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Send test to On call' }).click()
    await page.getByText('Test sent to On call').waitFor()
    assert.ok((await receiver.message(1)).event)
    receiver.status = 500
    await page.getByRole('button', { name: 'Send test to On call' }).click()
    await page.getByText('Failing', { exact: true }).waitFor()
    await page.getByText(/Failing since/).waitFor()
    await expectAccessible(page, 'settings-contacts')
    await page.getByRole('button', { name: 'Actions for On call' }).click()
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Disabled', { exact: true }).waitFor()
    const [contact] = (await dashboard.owner.get('/v1/contacts')).body.data
    assert.deepEqual([contact.enabled, contact.covers, contact.kinds.length], [false, 'ALL', 9])
    assert.deepEqual([contact.language, contact.timezone], ['de', 'Europe/Berlin'])
    await page.getByRole('button', { name: 'Actions for On call' }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No alert contacts yet').waitFor()
    assert.deepEqual((await dashboard.owner.get('/v1/contacts')).body.data, [])
  })

  test('a contact for selected monitors gets alerts of those monitors only', async () => {
    const ids: string[] = []
    for (const name of ['Checkout', 'Blog']) {
      const created = await dashboard.server
        .client()
        .post('/monitors', { type: 'HTTP', name, url: 'http://127.0.0.1:9/' })
      ids.push(created.body.data?.id ?? created.body.id)
    }
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/contacts'))
    await page.getByRole('button', { name: 'New alert contact' }).first().click()
    await page.getByLabel('Name').fill('Shop team')
    await page.getByLabel('Webhook URL').fill('https://hooks.example/alerts')
    await page.getByRole('button', { name: 'Selected monitors' }).click()
    await page.getByLabel('Checkout').check()
    await expectAccessible(page, 'settings-new-contact')
    await page.getByRole('button', { name: 'Add contact' }).click()
    // The contact appears in the list before its monitors are saved. The dialog closes when they are saved.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('selected monitors').waitFor()
    const attached = async (id: string) =>
      (await dashboard.owner.get(`/v1/monitors/${id}/contacts`)).body.data.at(-1).attached
    assert.deepEqual([await attached(ids[0] as string), await attached(ids[1] as string)], [true, false])
  })

  editing(dashboard)
})

function editing(dashboard: Dashboard): void {
  test('a contact is added with a label selector, which can be changed, and names its faults', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/contacts'))
    await page.getByRole('button', { name: 'New alert contact' }).first().click()
    await page.getByLabel('Name').fill('Payments')
    await page.getByLabel('Webhook URL').fill('https://hooks.example/alerts')
    await page.getByRole('button', { name: 'By labels' }).click()
    await page.getByLabel('Label selector').fill('team=payments,')
    await page.getByRole('button', { name: 'Add contact' }).click()
    await page.getByText(/is not a valid selector/i).waitFor()
    assert.equal(await page.getByLabel('Label selector').getAttribute('aria-invalid'), 'true')
    await expectAccessible(page, 'settings-contact-labels')
    await page.getByLabel('Label selector').fill('team=payments')
    await page.getByRole('button', { name: 'Add contact' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('monitors with team=payments').waitFor()
    await page.getByRole('button', { name: 'Actions for Payments' }).click()
    await page.getByRole('button', { name: 'Edit…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'All monitors' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('all monitors').waitFor()
    const { data } = (await dashboard.owner.get('/v1/contacts')).body
    const contact = data.find(({ name }: { name: string }) => name === 'Payments')
    assert.deepEqual([contact.covers, contact.selector], ['ALL', null])
  })

  test('a contact is edited, and keeps its secrets until its address changes', async () => {
    await using service = await startService(() => ({ status: 200 }))
    const settings = { url: `${service.url}/hook`, token: 'a-token-that-stays-secret', headerName: 'X-Team' }
    const hook = { name: 'Hook', channel: 'WEBHOOK', settings: { ...settings, headerValue: 'a' } }
    await dashboard.owner.post('/v1/contacts', hook)
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/contacts'))
    await page.getByRole('button', { name: 'Actions for Hook' }).click()
    await page.getByRole('button', { name: 'Edit…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit Hook' })
    await dialog.getByText('Leave empty to keep the current value').first().waitFor()
    await expectAccessible(page, 'settings-edit-contact')
    await dialog.getByLabel('Name').first().fill('Night hook')
    // A new address asks for the stored secrets, and opens the part of the form that has them.
    await dialog.getByLabel('URL', { exact: true }).fill('nonsense')
    await dialog.getByText('Enter it again because the address changes').first().waitFor()
    await dialog.getByLabel('Header name').fill('X-Shift')
    await dialog.getByRole('button', { name: 'Save' }).click()
    assert.equal(await dialog.getByLabel('URL', { exact: true }).evaluate((field) => field.matches(':invalid')), true)
    await dialog.getByLabel('URL', { exact: true }).fill(`${service.url}/night`)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Must be entered again when the address changes').first().waitFor()
    assert.equal(await dialog.getByLabel('Token').getAttribute('aria-invalid'), 'true')
    await expectAccessible(page, 'settings-edit-contact-secret')
    await dialog.getByLabel('Token').fill('a-token-that-stays-secret')
    await dialog.getByLabel('Header value').fill('a')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Send test to Night hook' }).click()
    await page.getByText('Test sent to Night hook').waitFor()
    const { path, headers } = service.received.at(-1) as Received
    assert.deepEqual(
      [path, headers.authorization, headers['x-shift'], headers['x-team']],
      ['/night', 'Bearer a-token-that-stays-secret', 'a', undefined],
    )
  })
}
