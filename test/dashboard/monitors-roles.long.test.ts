import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { createMonitor, current } from '../support/monitors.ts'
import { useHttpTarget } from '../support/targets.ts'
import { joinAs } from './accounts.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('Access to monitors', { skip: withoutBrowser }, () => {
  // People may make organizations of their own here.
  const dashboard = useDashboard({ env: { PHAROS_OPEN_SIGNUP: 'true', PHAROS_PRIVATE_TARGETS: 'allow' } })
  const target = useHttpTarget()
  let id: string
  let cronId: string
  before(async () => {
    const client = dashboard.server.client()
    id = (await createMonitor(client, { name: 'Checkout', type: 'HTTP', url: target.url })).id
    cronId = (await createMonitor(client, { name: 'Backup', type: 'CRON' })).id
    await eventually(async () => assert.equal((await current(client, id)).state, 'UP'))
  })

  test('data of two organizations never mix', async () => {
    const { status, body: other } = await dashboard.owner.post('/organizations', { name: 'Umbrella' })
    assert.equal(status, 201, JSON.stringify(other))
    dashboard.owner.organization = other.id
    const { body: foreign } = await dashboard.owner.post('/v1/monitors', { name: 'Umbrella shop', type: 'CRON' })
    dashboard.owner.organization = undefined
    const [here, there] = await Promise.all([dashboard.open(), dashboard.open()])
    const at = (path: string) => dashboard.at(path).replace('/o/default', `/o/${other.slug}`)
    await here.goto(dashboard.at('/monitors'))
    await there.goto(at('/monitors'))
    await here.getByRole('link', { name: 'Checkout' }).waitFor()
    await there.getByRole('link', { name: 'Umbrella shop' }).waitFor()
    assert.equal(await here.getByText('Umbrella shop').count(), 0)
    assert.equal(await there.getByText('Checkout').count(), 0)
    // What is made in one window is made in its organization, whichever was opened last.
    await here.goto(dashboard.at('/monitors/new?type=CRON'))
    await here.getByLabel('Name', { exact: true }).fill('Made here')
    await here.getByRole('button', { name: 'Create monitor' }).click()
    await here.getByRole('heading', { level: 1, name: 'Made here' }).waitFor()
    await there.getByRole('heading', { level: 1 }).click()
    await there.reload()
    await there.getByText('1 monitor, problems first').waitFor()
    // The plan limit is shown before anything is sent.
    await there.goto(at('/monitors/new'))
    await there.getByText('The Free plan allows 5 min or longer').waitFor()
    // An id of the other one is nobody's here.
    await here.goto(dashboard.at(`/monitors/${foreign.id}`))
    await here.getByText('Monitor not found').waitFor()
    await there.goto(at(`/monitors/${id}`))
    await there.getByText('Monitor not found').waitFor()
    const names = (await dashboard.server.client().get('/monitors')).body.data.map(({ name }: { name: string }) => name)
    assert.ok(names.includes('Made here') && !names.includes('Umbrella shop'))
  })

  test('a viewer sees everything and no controls to change it', async () => {
    const viewer = await joinAs(dashboard, 'viewer@example.com', 'VIEWER')
    const client = dashboard.server.client()
    target.status = 503
    await client.post(`/monitors/${id}/check`, {})
    const page = await dashboard.open({ person: viewer })
    await page.goto(dashboard.at('/monitors'))
    await page.getByRole('link', { name: 'Checkout' }).waitFor()
    assert.equal(await page.getByRole('checkbox').count(), 0)
    assert.equal(await page.getByRole('link', { name: 'New monitor' }).count(), 0)
    await page.getByRole('link', { name: 'Checkout' }).focus()
    await page.keyboard.press('p')
    await page.keyboard.press('Enter')
    await page
      .getByText(/HTTP 503/)
      .first()
      .waitFor()
    for (const name of ['Check now', 'Pause', 'Delete', 'Run test']) {
      assert.equal(await page.getByRole('button', { name }).count(), 0, name)
    }
    assert.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0)
    await page.keyboard.press('p')
    await page.keyboard.press('c')
    await expectAccessible(page, 'monitor-viewer')
    await expectHiddenUrl(page, dashboard.at(`/monitors/${cronId}`))
    await page.goto(dashboard.at('/'))
    await page.getByText('Not acknowledged').waitFor()
    assert.equal(await page.getByRole('button', { name: /Acknowledge/ }).count(), 0)
    await page.getByRole('link', { name: 'Checkout' }).first().click()
    await page.getByText('Not acknowledged yet.').waitFor()
    await page.keyboard.press('a')
    assert.equal(await page.getByRole('button', { name: /Acknowledge/ }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Publish to status page' }).count(), 0)
    for (const [path, shown] of [
      ['/monitors/new', 'Viewers can’t add monitors'],
      [`/monitors/${id}/edit`, 'Viewers can’t edit monitors'],
      ['/welcome', 'Viewers can’t add monitors'],
    ] as const) {
      await page.goto(dashboard.at(path))
      await page.getByText(shown).waitFor()
      await expectAccessible(page, `viewer${path.replace(id, '').replaceAll('/', '-').replaceAll('--', '-')}`)
    }
    assert.equal((await current(client, id)).state, 'DOWN')
    assert.equal((await client.get('/incidents?status=ONGOING')).body.data[0].acknowledged, false)
  })
})

async function expectHiddenUrl(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.getByText('Ask a member or an admin for the URL').waitFor()
  assert.equal(await page.getByText('/heartbeat/').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Replace URL' }).count(), 0)
}
