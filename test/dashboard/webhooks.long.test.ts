import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { execute, q } from '../../src/storage/query.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { joinAs } from './accounts.ts'
import { type Dashboard, expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { type Body, createAt, got } from './publishing.ts'

interface Scene {
  readonly dashboard: Dashboard
  receiver: Receiver
  page: Page
  endpoint: Body
  secret: string
}

describe('Webhooks', { skip: withoutBrowser }, () => {
  // One attempt each, so that a failure is final.
  const dashboard = useDashboard({ env: { PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_WEBHOOK_SCHEDULE: '0' } })
  const scene: Scene = { dashboard } as Scene
  before(async () => {
    scene.receiver = await startReceiver()
    scene.page = await dashboard.open()
  })
  after(() => scene.receiver?.[Symbol.asyncDispose]())
  making(scene)
  failing(scene)
  caring(scene)
})

async function theEndpoint({ dashboard }: Scene): Promise<Body> {
  return (await got(dashboard.server.client(), '/webhook-endpoints')).data[0]
}

function making(scene: Scene): void {
  test('an endpoint is created with selected events, and its secret is shown once', async () => {
    const { page, dashboard, receiver } = scene
    await page.goto(dashboard.at('/webhooks'))
    await page.getByText('No webhook endpoints yet').waitFor()
    await expectAccessible(page, 'webhooks-empty')
    await page.getByRole('button', { name: 'New endpoint' }).first().click()
    const dialog = page.getByRole('dialog').first()
    await dialog.getByLabel('URL', { exact: true }).fill(receiver.url)
    await dialog.getByLabel('Description').fill('Orders bot')
    await dialog.getByRole('radio', { name: 'Selected events' }).check()
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await dialog.getByText('Choose at least one event').waitFor()
    await dialog.getByRole('group', { name: 'Detected incidents' }).getByRole('button', { name: 'Select all' }).click()
    await dialog.getByRole('checkbox', { name: /^monitor\.paused/ }).check()
    // The error is about the selection that was sent.
    assert.equal(await dialog.getByText('Choose at least one event').count(), 0)
    assert.equal(await dialog.getByText('Please fix the fields above').count(), 0)
    await expectAccessible(page, 'webhooks-new')
    await dialog.getByRole('button', { name: 'Example of incident.opened' }).click()
    await page.getByRole('region', { name: 'Example of incident.opened' }).getByText('"causeCode"').waitFor()
    await expectAccessible(page, 'webhooks-example')
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('It won’t be shown again').waitFor()
    scene.secret = (await page.locator('[data-secret]').textContent()) ?? ''
    assert.match(scene.secret, /^whsec_/)
    await expectAccessible(page, 'webhooks-secret')
    await page.getByRole('button', { name: 'I’ve copied it' }).click()
    await page.getByRole('heading', { level: 1, name: 'Orders bot' }).waitFor()
    assert.equal(await page.getByText(scene.secret).count(), 0)
    scene.endpoint = await theEndpoint(scene)
    assert.deepEqual(scene.endpoint.eventTypes, [
      'incident.opened',
      'incident.acknowledged',
      'incident.resolved',
      'monitor.paused',
    ])
    await page.goto(dashboard.at(`/webhooks/${scene.endpoint.id}`))
    await page.getByRole('heading', { level: 1, name: 'Orders bot' }).waitFor()
    assert.equal(await page.getByText('whsec_').count(), 0)
  })

  test('a test event arrives, signed with the secret', async () => {
    const { page, receiver } = scene
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByRole('heading', { level: 1, name: 'webhook.test' }).waitFor()
    await page.getByText('after 1 attempt').waitFor()
    const { raw, headers } = await receiver.message(1)
    new Webhook(scene.secret).verify(raw, headers as Record<string, string>)
    const shown = page.getByRole('region', { name: 'Body, raw' })
    assert.equal(await shown.textContent(), raw)
    await page.locator('summary').getByText('HTTP 200').first().waitFor()
    await expectAccessible(page, 'delivery-succeeded')
  })
}

function failing(scene: Scene): void {
  test('a failed delivery can be inspected and retried by hand', async () => {
    const { page, dashboard, receiver, endpoint } = scene
    receiver.status = 500
    const client = dashboard.server.client()
    const monitor = await createAt(client, '/monitors', { name: 'Nightly', type: 'CRON', expectedPeriodSec: 86_400 })
    await client.post(`/monitors/${monitor.id}/pause`, {})
    await page.goto(dashboard.at(`/webhooks/${endpoint.id}`))
    await page.getByText('1 of the last 2 succeeded, 1 failed').waitFor()
    await page.getByLabel('Status').selectOption('Failed')
    await page.waitForURL(/status=FAILED/)
    await page.getByRole('link', { name: 'webhook.test' }).waitFor({ state: 'detached' })
    await expectAccessible(page, 'webhook-endpoint')
    await page.getByRole('link', { name: 'monitor.paused' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('summary').getByText('HTTP 500').first().waitFor()
    await page.getByRole('region', { name: 'Response to attempt 1' }).getByText('thanks').waitFor()
    await expectAccessible(page, 'delivery-failed')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    const curl = await page.getByRole('region', { name: 'curl command' }).textContent()
    assert.ok(curl?.startsWith(`curl -X POST '${receiver.url}'`), curl ?? '')
    assert.ok(curl?.includes(receiver.messages.at(-1)?.raw ?? 'nothing'))
    await expectAccessible(page, 'delivery-curl')
    await page.keyboard.press('Escape')
    receiver.status = 200
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByText('after 2 attempts').waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1)
    const delivery = await got(client, `/webhook-deliveries/${id}`)
    assert.equal(delivery.status, 'SUCCEEDED')
    assert.deepEqual(
      delivery.attempts.map(({ trigger }: Body) => trigger),
      ['SCHEDULED', 'MANUAL'],
    )
    const [first, second] = receiver.messages.slice(-2)
    assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
  })

  test('all failed deliveries since a time are retried after a confirmation with their number', async () => {
    const { page, dashboard, receiver, endpoint } = scene
    const client = dashboard.server.client()
    receiver.status = 500
    const monitor = await createAt(client, '/monitors', { name: 'Weekly', type: 'CRON', expectedPeriodSec: 86_400 })
    for (let i = 0; i < 3; i += 1) {
      await client.post(`/monitors/${monitor.id}/pause`, {})
      await client.post(`/monitors/${monitor.id}/resume`, {})
    }
    await page.goto(dashboard.at(`/webhooks/${endpoint.id}`))
    await page.getByText(/3 failed/).waitFor()
    receiver.status = 200
    await page.getByRole('button', { name: 'Retry failed deliveries…' }).click()
    await page.getByText('3 deliveries have failed since then').waitFor()
    await expectAccessible(page, 'webhook-retry-failed')
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click()
    await page.getByText('Retrying 3 deliveries').waitFor()
    await page.getByText('5 deliveries succeeded').waitFor()
    assert.equal((await got(client, '/webhook-deliveries?status=FAILED')).pagination.total, 0)
    await page.goto(dashboard.at('/webhooks'))
    await page.getByText('5 deliveries succeeded').first().waitFor()
    await expectAccessible(page, 'webhooks-list')
    await page.getByLabel('Status').selectOption('Failed')
    await page.getByText('No matching deliveries').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('link', { name: 'webhook.test' }).waitFor()
  })
}

function caring(scene: Scene): void {
  test('several endpoints are listed with the results of their last twenty deliveries', async () => {
    const { page, dashboard, receiver } = scene
    const client = dashboard.server.client()
    const url = `${receiver.url}/${'a-rather-long-path/'.repeat(4)}`
    const { id } = await createAt(client, '/webhook-endpoints', { url, description: 'Ops room', eventTypes: ['*'] })
    for (let i = 0; i < 24; i += 1) {
      receiver.status = i % 5 === 0 ? 503 : 204
      const count = receiver.messages.length
      await client.post(`/webhook-endpoints/${id}/test`, {})
      await receiver.message(count + 1)
    }
    await page.goto(dashboard.at('/webhooks'))
    await page.getByText('16 of the last 20 succeeded, 4 failed').waitFor()
    await expectAccessible(page, 'webhooks-busy')
    await page.getByLabel('Endpoint', { exact: true }).selectOption('Ops room')
    await page.getByLabel('Status', { exact: true }).selectOption('Failed')
    await page.getByRole('listitem').filter({ hasText: 'HTTP 503' }).nth(4).waitFor()
    await page.waitForURL(/endpoint=we_.*status=FAILED/)
    await client.delete(`/webhook-endpoints/${id}`)
    receiver.status = 200
  })

  test('after a rotation the new secret is shown once, with the time until the old one expires', async () => {
    const { page, dashboard, receiver, endpoint } = scene
    await page.goto(dashboard.at(`/webhooks/${endpoint.id}`))
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    await page.getByText('It won’t be shown again').waitFor()
    const rotated = (await page.locator('[data-secret]').textContent()) ?? ''
    assert.notEqual(rotated, scene.secret)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Yes, close' }).click()
    await page.getByText(/The previous one is valid for\s+23 h 5\d min/).waitFor()
    await expectAccessible(page, 'webhook-rotated')
    const count = receiver.messages.length
    await page.getByRole('button', { name: 'Send test' }).click()
    const { raw, headers } = await receiver.message(count + 1)
    for (const secret of [scene.secret, rotated]) new Webhook(secret).verify(raw, headers as Record<string, string>)
  })

  test('an endpoint can be disabled and enabled; an automatically disabled one shows the reason', async () => {
    const { page, dashboard, endpoint } = scene
    await page.goto(dashboard.at(`/webhooks/${endpoint.id}`))
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('button', { name: 'Enable', exact: true }).waitFor()
    assert.equal((await theEndpoint(scene)).enabled, false)
    assert.ok(await page.getByRole('button', { name: 'Send test' }).isDisabled())
    await dashboard.server.running.database.write(() =>
      execute(q.updateTable('webhook_endpoints').set({ disabled_reason: 'FAILING' }).where('id', '=', endpoint.id)),
    )
    await page.reload()
    await page.getByText('Disabled because all deliveries failed for five days').waitFor()
    await expectAccessible(page, 'webhook-disabled')
    await page.getByRole('button', { name: 'Enable', exact: true }).click()
    await page.getByRole('button', { name: 'Disable' }).waitFor()
    assert.equal((await theEndpoint(scene)).disabledReason, null)
  })

  test('an endpoint can be edited; a rejected address is reported beside its field', async () => {
    const { page } = scene
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('URL', { exact: true }).fill('ftp://example.com/x')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('URL must begin with https:// or http://', { exact: true }).waitFor()
    await dialog.getByLabel('URL', { exact: true }).fill(scene.receiver.url)
    await dialog.getByRole('radio', { name: /^All events/ }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByText('All events, including future ones').waitFor()
    assert.deepEqual((await theEndpoint(scene)).eventTypes, ['*'])
  })

  test('a viewer can see deliveries but change nothing', async () => {
    const { dashboard, endpoint } = scene
    const foreign = await dashboard.open({ person: await joinAs(dashboard, 'viewer@example.com', 'VIEWER') })
    await foreign.goto(dashboard.at(`/webhooks/${endpoint.id}`))
    await foreign.getByRole('link', { name: 'webhook.test' }).first().waitFor()
    for (const name of ['Send test', 'Disable', 'Edit', 'Delete', 'Rotate secret', 'Retry failed deliveries…']) {
      assert.equal(await foreign.getByRole('button', { name }).count(), 0, name)
    }
    await foreign.getByRole('link', { name: 'webhook.test' }).first().click()
    await foreign.getByText('These').waitFor()
    assert.equal(await foreign.getByRole('button', { name: 'Retry' }).count(), 0)
  })

  test('the deletion dialog lists what is deleted', async () => {
    const { page, dashboard } = scene
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Its deliveries, attempts and secret').waitFor()
    await expectAccessible(page, 'webhook-delete')
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('No webhook endpoints yet').waitFor()
    assert.equal((await got(dashboard.server.client(), '/webhook-endpoints')).pagination.total, 0)
    await page.goto(dashboard.at('/webhooks/deliveries/dlv_none'))
    await page.getByText('Delivery not found').waitFor()
    await expectAccessible(page, 'delivery-missing')
    await page.goto(dashboard.at('/webhooks/we_none'))
    await page.getByText('Webhook endpoint not found').waitFor()
  })
}
