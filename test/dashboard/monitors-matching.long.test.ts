import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { createMonitor } from '../support/monitors.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('Bulk actions on all monitors that match', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('all monitors that match are checked, edited and deleted, and a deletion can be undone', async () => {
    const client = dashboard.server.client()
    const ids: string[] = []
    for (const name of ['Fig', 'Grape', 'Hazelnut']) {
      const { id } = await createMonitor(client, {
        name,
        type: 'PORT',
        host: '127.0.0.1',
        port: 9,
        intervalSeconds: 600,
      })
      await client.send('PUT', `/monitors/${id}/labels`, { labels: { tier: 'low' } })
      ids.push(id)
    }
    const field = async (name: string) =>
      Promise.all(ids.map(async (id) => (await client.get(`/monitors/${id}`)).body[name]))
    await eventually(async () => assert.ok((await field('lastCheckedAt')).every((at) => at !== null)))
    const checked = await field('lastCheckedAt')
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors?labels=tier%3Dlow'))
    const selectAll = async () => {
      await page.getByLabel('Select Fig').check()
      await page.getByRole('button', { name: 'Select all 3 that match' }).click()
    }
    await selectAll()
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('Checking 3 monitors').waitFor()
    await eventually(async () => assert.ok((await field('lastCheckedAt')).every((at, i) => at !== checked[i])))

    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('heading', { name: 'Edit 3 monitors' }).waitFor()
    await page.getByLabel('Check interval', { exact: true }).fill('20')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('3 monitors saved').waitFor()
    assert.deepEqual(await field('intervalSeconds'), [1200, 1200, 1200])

    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 3 monitors?' })
    await dialog.getByText('Hazelnut').waitFor()
    await expectAccessible(page, 'monitors-delete-matching')
    // A monitor that matches from now on was not confirmed: it stays.
    const { id: late } = await createMonitor(client, { name: 'Iris', type: 'CRON' })
    await client.send('PUT', `/monitors/${late}/labels`, { labels: { tier: 'low' } })
    await dialog.getByRole('button', { name: 'Delete 3 monitors' }).click()
    await page.getByText('3 monitors deleted').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByLabel('Select Fig').waitFor()
    assert.deepEqual(await field('name'), ['Fig', 'Grape', 'Hazelnut'])
    await client.send('PUT', `/monitors/${late}/labels`, { labels: {} })
    await page.getByLabel('Select Iris').waitFor({ state: 'detached' })
    await selectAll()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByRole('button', { name: 'Delete 3 monitors' }).click()
    await eventually(async () => {
      for (const id of ids) assert.equal((await client.get(`/monitors/${id}`)).status, 404)
    })
    assert.equal((await client.get(`/monitors/${late}`)).status, 200)
  })
})
