import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { actionsOf, apply, everything, idOf, plan } from '../configuration/support.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

const drift = 'The next plan of shop-team shows your changes as drift, and applying it undoes them.'

describe('resources that a configuration document manages', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api' } })

  test('are marked on their pages, warn in their forms, and the next plan shows the drift', async () => {
    const client = dashboard.server.client()
    await apply(client, everything)
    const page = await dashboard.open()
    const shows = async (path: string, key: string) => {
      await page.goto(dashboard.at(path))
      await page.getByText(`Managed by shop-team as ${key}`, { exact: true }).waitFor()
    }
    const monitorId = await idOf(client, '/monitors', 'Database')
    await shows(`/monitors/${monitorId}`, 'db')
    await expectAccessible(page, 'managed-monitor')
    await page.goto(dashboard.at(`/monitors/${monitorId}/edit`))
    await page.getByText(drift).waitFor()
    await expectAccessible(page, 'managed-monitor-edit')
    await page.getByLabel('Name', { exact: true }).fill('Renamed by hand')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Renamed by hand' }).waitFor()
    assert.deepEqual(actionsOf((await plan(client, everything)).changes), ['UPDATE monitors.db'])

    await shows(`/maintenance/${await idOf(client, '/maintenance-windows', 'Nightly')}`, 'nightly')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByText(drift).waitFor()
    await shows(`/webhooks/${await idOf(client, '/webhook-endpoints', 'Events')}`, 'hooks')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('dialog').getByText(drift).waitFor()
    await expectAccessible(page, 'managed-webhook-edit')
    await shows(`/status-pages/${await idOf(client, '/status-pages', 'Shop status')}`, 'main')
    assert.equal(await page.getByText(drift).count(), 0)
    await page.getByText('Name and address').click()
    await page.getByLabel('Name', { exact: true }).first().fill('Status of the shop')
    await page.getByText(drift).waitFor()
    await expectAccessible(page, 'managed-status-page')
    await page.goto(dashboard.at('/settings/contacts'))
    await page.getByRole('button', { name: 'Actions for Ops' }).click()
    await page.getByRole('button', { name: 'Edit…' }).click()
    await page.getByRole('dialog').getByText('Managed by shop-team as ops').waitFor()
  })

  test('are not marked if they are managed by hand', async () => {
    const client = dashboard.server.client()
    const { body } = await client.post('/monitors', { name: 'By hand', type: 'CRON' })
    const page = await dashboard.open()
    const answered = page.waitForResponse((response) => response.url().endsWith(`/monitors/${body.id}/source`))
    await page.goto(dashboard.at(`/monitors/${body.id}`))
    assert.equal((await answered).status(), 200)
    await page.getByRole('heading', { level: 1, name: 'By hand' }).waitFor()
    assert.equal(await page.getByText(/Managed by/).count(), 0)
  })
})
