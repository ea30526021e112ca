import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { createMonitor, type MonitorBody } from '../support/monitors.ts'
import { type HttpTarget, useHttpTarget } from '../support/targets.ts'
import { type Dashboard, expectAccessible, expectFits, useDashboard, withoutBrowser } from './dashboard.ts'

describe('Columns, groups and actions of the monitor list', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const target = useHttpTarget()

  test('columns sort and groups collapse, both in the address, and a pause is undone', async () => {
    const client = dashboard.server.client()
    for (const name of ['Kiwi', 'Lemon']) await createMonitor(client, { name, type: 'HTTP', url: target.url })
    await createMonitor(client, { name: 'Job', type: 'CRON' })
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    const rows = page.locator('[data-row]')
    await rows.nth(2).waitFor()
    const column = page.getByRole('columnheader', { name: 'Name' })
    await column.getByRole('button').click()
    await page.waitForURL(/sort=name/)
    assert.equal(await column.getAttribute('aria-sort'), 'ascending')
    await column.getByRole('button').click()
    await page.waitForURL(/order=desc/)
    await eventually(async () => assert.deepEqual(await rows.allTextContents(), ['Lemon', 'Kiwi', 'Job']))
    assert.equal(await column.getAttribute('aria-sort'), 'descending')

    await page.getByLabel('Group by').selectOption('type')
    await page.getByRole('button', { name: /^HTTP 2$/ }).click()
    await page.waitForURL(/collapsed=HTTP/)
    await eventually(async () => assert.deepEqual(await rows.allTextContents(), ['Job']))
    await page.reload()
    await page.getByRole('button', { name: /^HTTP 2$/, expanded: false }).waitFor()
    assert.deepEqual(await rows.allTextContents(), ['Job'])
    await expectAccessible(page, 'monitors-grouped')
    for (const width of [360, 768, 1024, 1920, 2560]) await expectFits(page, 'monitors-grouped', width)

    const stateOfJob = async () => {
      const { data } = (await client.get('/monitors')).body
      return data.find(({ name }: MonitorBody) => name === 'Job').state
    }
    await page.getByRole('button', { name: 'Actions for Job' }).click()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('Job paused').waitFor()
    assert.equal(await stateOfJob(), 'PAUSED')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Job resumed').waitFor()
    assert.equal(await stateOfJob(), 'PENDING')

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const csv = await text(await (await download).createReadStream())
    assert.equal(csv.trimEnd().split('\r\n').length, 4)
  })

  copies(dashboard, target)
})

function copies(dashboard: Dashboard, target: HttpTarget): void {
  test('a monitor is duplicated with its headers and contacts, and several are edited', async () => {
    const client = dashboard.server.client()
    const hook = { name: 'On-call', channel: 'WEBHOOK', settings: { url: 'https://hooks.example/alerts' } }
    const { body: contact } = await dashboard.owner.post('/v1/contacts', hook)
    const requestHeaders = { authorization: 'Bearer secret' }
    const { id } = await createMonitor(client, { name: 'Plum', type: 'HTTP', url: target.url, requestHeaders })
    await dashboard.owner.delete(`/v1/monitors/${id}/contacts/${contact.id}`)
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors?q=Plum'))
    await page.getByRole('button', { name: 'Actions for Plum' }).click()
    await page.getByRole('button', { name: 'Duplicate' }).click()
    await page.getByText(/copied from Plum, including request headers/).waitFor()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Plum (copy)')
    assert.ok(!(await page.getByRole('checkbox', { name: /On-call/ }).isChecked()))
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByRole('heading', { level: 1, name: 'Plum (copy)' }).waitFor()
    const copyId = new URL(page.url()).pathname.split('/').at(-1) as string
    assert.deepEqual((await client.get(`/monitors/${copyId}`)).body.requestHeaders, requestHeaders)

    await page.goto(dashboard.at('/monitors?q=Plum'))
    await page.getByLabel('Select all on this page').locator('visible=true').check()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Alerts to On-call').waitFor()
    await expectAccessible(page, 'monitors-bulk-edit')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Choose an interval or an alert contact to change.').waitFor()
    await page.getByLabel('Check interval', { exact: true }).fill('10')
    await page.getByLabel('Alerts to On-call').selectOption('attach')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('2 monitors saved').waitFor()
    for (const one of [id, copyId]) {
      assert.equal((await client.get(`/monitors/${one}`)).body.intervalSeconds, 600)
      const { data } = (await dashboard.owner.get(`/v1/monitors/${one}/contacts`)).body
      assert.deepEqual(
        data.map(({ attached }: MonitorBody) => attached),
        [true],
      )
    }
  })

  test('the form of an existing monitor keeps its contacts', async () => {
    const hook = { name: 'Night', channel: 'WEBHOOK', settings: { url: 'https://hooks.example/alerts' } }
    const { body: contact } = await dashboard.owner.post('/v1/contacts', hook)
    const { id } = await createMonitor(dashboard.server.client(), { name: 'Pear', type: 'CRON' })
    const page = await dashboard.open()
    await page.goto(dashboard.at(`/monitors/${id}/edit`))
    assert.ok(await page.getByRole('checkbox', { name: /Night/ }).isChecked())
    await page.getByLabel('Name', { exact: true }).fill('Pears')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('heading', { level: 1, name: 'Pears' }).waitFor()
    const { data } = (await dashboard.owner.get(`/v1/monitors/${id}/contacts`)).body
    assert.ok(data.find(({ contactId }: { contactId: string }) => contactId === contact.id).attached)
  })

  test('a deletion is undone, kept through sign-out, and reported if it fails', async () => {
    const client = dashboard.server.client()
    const { id } = await createMonitor(client, { name: 'Quince', type: 'CRON' })
    const page = await dashboard.open()
    const remove = async () => {
      await page.getByRole('button', { name: 'Actions for Quince' }).click()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('button', { name: 'Delete monitor' }).click()
      await page.getByText('Quince deleted').waitFor()
    }
    await page.goto(dashboard.at('/monitors?q=Quince'))
    await remove()
    await page.getByText('No matching monitors').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'Quince' }).waitFor()
    assert.equal((await client.get(`/monitors/${id}`)).status, 200)

    const isDelete = '**/app/api/v1/monitors/bulk'
    const error = { code: 'conflict', message: 'It is busy', requestId: 'req_1' }
    await page.route(isDelete, (route) => route.fulfill({ status: 422, json: { error } }))
    await remove()
    await page.getByText('Quince not deleted. It is busy').waitFor()
    await page.getByRole('link', { name: 'Quince' }).waitFor()
    await page.unroute(isDelete)
    let requests = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/monitors/bulk')) requests += 1
    })
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Quince deleted').waitFor()
    await page
      .getByRole('button', { name: /sign out$/ })
      .locator('visible=true')
      .click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(/sign-in/)
    assert.equal((await client.get(`/monitors/${id}`)).status, 404)
    assert.equal(requests, 1)
  })
}
