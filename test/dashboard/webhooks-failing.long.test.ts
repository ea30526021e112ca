import { after, before, describe, test } from 'node:test'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { createAt } from './publishing.ts'

describe('A webhook endpoint that fails', { skip: withoutBrowser }, () => {
  // The second attempt comes after an hour.
  const dashboard = useDashboard({ env: { PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_WEBHOOK_SCHEDULE: '0,3600' } })
  let receiver: Receiver
  before(async () => {
    receiver = await startReceiver()
  })
  after(() => receiver?.[Symbol.asyncDispose]())

  test('is shown as failing, with its error and next try; a waiting delivery is retried by hand', async () => {
    const page = await dashboard.open()
    const client = dashboard.server.client()
    receiver.status = 500
    const { id } = await createAt(client, '/webhook-endpoints', { url: receiver.url, description: 'Orders bot' })
    await client.post(`/webhook-endpoints/${id}/test`, {})
    await receiver.message(1)
    await page.goto(dashboard.at('/webhooks'))
    await page.getByText('1 endpoint, enabled, 1 failing.').waitFor()
    await page.getByText(/^Failing since .*: HTTP 500\. Next try in /).waitFor()
    await page.getByText('0 of the last 1 succeeded, 1 failing').waitFor()
    await page.getByText(/^HTTP 500, 1 try\. Next try in /).waitFor()
    await expectAccessible(page, 'webhooks-failing')
    await page.getByRole('link', { name: 'Orders bot' }).click()
    await page
      .getByRole('status')
      .getByText(/^Failing since .*: HTTP 500\. Next try in /)
      .waitFor()
    await expectAccessible(page, 'webhook-endpoint-failing')
    await page.getByRole('link', { name: 'webhook.test' }).click()
    await page.getByText(/^HTTP 500, 1 try\. Next try in /).waitFor()
    await expectAccessible(page, 'delivery-failing')
    receiver.status = 200
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByText('after 2 attempts').waitFor()
    await page.goto(dashboard.at('/webhooks'))
    await page.getByText('1 endpoint, enabled.').waitFor()
  })
})
