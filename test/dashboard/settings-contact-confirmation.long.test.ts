import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { mailEnv } from '../notifications/subscribers/mailing.ts'
import { eventually } from '../support/eventually.ts'
import { startSmtp } from '../support/smtp-server.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

const smtp = await startSmtp()
after(() => smtp[Symbol.asyncDispose]())

describe('an e-mail contact', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api,sender', ...mailEnv(smtp.port) } })

  /** The link of the confirmation e-mail with this number, at the address of the test server. */
  const link = (count: number) =>
    eventually(async () => {
      assert.equal(smtp.mails.length, count)
      const url = /https?:\/\/\S+/.exec(smtp.mails.at(-1)?.text ?? '')?.[0] as string
      return url.replace(/^http:\/\/localhost:\d+/, dashboard.server.url)
    })

  test('waits for confirmation, can be sent a new link, and is confirmed by a button', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/contacts'))
    await page.getByRole('button', { name: 'New alert contact' }).first().click()
    await page.getByText('must be confirmed before they receive alerts').waitFor()
    await page.getByLabel('Name').fill('On call')
    await page.getByLabel('Address').fill('oncall@example.com')
    await page.getByRole('button', { name: 'Add contact' }).click()
    await page.getByText('On call added. Confirmation e-mail sent.').waitFor()
    await page.getByText('Not confirmed', { exact: true }).waitFor()
    await page.getByText('This contact receives no alerts until its address is confirmed.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Send test to On call' }).count(), 0)
    await link(1)
    await page.getByRole('button', { name: 'Resend confirmation to On call' }).click()
    await page.getByText('Confirmation e-mail sent', { exact: true }).waitFor()
    await expectAccessible(page, 'settings-contact-waiting')

    const { body: monitor } = await dashboard.owner.post('/v1/monitors', { name: 'Nightly job', type: 'CRON' })
    const other = await dashboard.open()
    await other.goto(dashboard.at(`/monitors/${monitor.id}`))
    await other.getByText('E-mail, not confirmed').waitFor()
    await other.getByText('No contact receives alerts for this monitor.').waitFor()

    const recipient = await (await dashboard.browser.newContext()).newPage()
    await recipient.goto(await link(2))
    await recipient.getByRole('heading', { name: 'Receive alerts by e-mail?' }).waitFor()
    await recipient.getByText('Acme wants to send monitoring alerts to oncall@example.com.').waitFor()
    await expectAccessible(recipient, 'contact-confirmation')
    await recipient.getByRole('button', { name: 'Confirm' }).click()
    await recipient.getByRole('heading', { name: 'Address confirmed' }).waitFor()
    await expectAccessible(recipient, 'contact-confirmed')

    // The open page shows it without a reload.
    await page.getByRole('button', { name: 'Send test to On call' }).waitFor()
    await page.getByText('Not confirmed', { exact: true }).waitFor({ state: 'detached' })
  })
})
