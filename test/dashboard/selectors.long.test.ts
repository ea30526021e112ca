import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('Selectors in the dashboard', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('a monitor is created with labels, a window with a selector', async () => {
    const client = dashboard.server.client()
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors/new?type=CRON'))
    await page.getByLabel('Name').fill('Damson')
    await page.getByRole('button', { name: 'Add label' }).click()
    await page.getByLabel('Key of label 1').fill('team')
    await page.getByLabel('Value of label 1').fill('web')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByRole('button', { name: 'team: web' }).waitFor()

    await page.goto(dashboard.at('/maintenance/new'))
    await page.getByLabel('Name').fill('Upgrade of the web team')
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await page.getByText('Choose at least one monitor, all monitors, or a label selector').waitFor()
    const selector = page.getByLabel('Label selector')
    await selector.fill('team=')
    await page.getByText('Can’t read this filter after “team=”.').waitFor()
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await page.getByText(/^Label selector is not a valid selector/).waitFor()
    await selector.fill('team = web')
    await expectAccessible(page, 'maintenance-new-selector')
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await page.getByText('Maintenance scheduled').waitFor()
    assert.equal(await page.getByLabel('Selector').inputValue(), 'team=web')
    const [created] = (await client.get('/maintenance-windows')).body.data
    assert.deepEqual([created.monitorIds, created.allMonitors], [[], false])
    await page.goto(dashboard.at('/maintenance'))
    await page.getByRole('listitem').filter({ hasText: 'Upgrade of the web team' }).getByText('team=web').waitFor()

    const { data } = (await client.get('/monitors')).body
    const times = { startsAt: '2999-01-01T00:00:00Z', endsAt: '2999-01-01T01:00:00Z' }
    const window = (await client.post('/maintenance-windows', { name: 'Upgrade', ...times, monitorIds: [data[0].id] }))
      .body
    await page.goto(dashboard.at(`/maintenance/${window.id}`))
    await page.getByLabel('Selector').fill('team=web')
    await page.getByRole('button', { name: 'Save selector' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    assert.deepEqual((await client.get(`/maintenance-windows/${window.id}/selector`)).body, { selector: 'team=web' })
    await expectAccessible(page, 'maintenance-selector')
  })

  test('the selectors of a status page are edited beside its sections', async () => {
    const client = dashboard.server.client()
    const page = await dashboard.open()
    const sections = [{ name: 'Web', monitors: [] }]
    const { id } = (await client.post('/status-pages', { name: 'Status', sections })).body
    const stored = async () => (await client.get(`/status-pages/${id}/selectors`)).body.sections
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await page.goto(dashboard.at(`/status-pages/${id}`))
    await page.getByText('No monitors yet', { exact: true }).waitFor()
    await page.getByLabel('Add by label').fill('team=')
    await save.click()
    await page.getByText('Can’t read this filter after “team=”.').first().waitFor()
    await page.getByLabel('Add by label').fill('team = web')
    await expectAccessible(page, 'status-page-selectors')
    await save.click()
    await page.getByText('Status page saved').waitFor()
    await page.getByText('All systems operational', { exact: true }).first().waitFor()
    assert.deepEqual(await stored(), [{ name: 'Web', selector: 'team=web' }])
    assert.equal(await page.getByLabel('Add by label').inputValue(), 'team=web')
    await page.getByText('Unsaved changes', { exact: true }).waitFor({ state: 'detached' })

    // A renamed section keeps its selector, which belongs to the name.
    await page.getByLabel('Section 1').fill('Shop')
    await page.getByRole('button', { name: 'Add section' }).click()
    await page.getByLabel('Section 2').fill('Shop')
    await page.getByLabel('Add by label').nth(1).fill('team=api')
    await save.click()
    await page.getByText('Rename this section: an earlier one has the same name.').first().waitFor()
    await page.getByLabel('Section 2').fill('API')
    const unavailable = { error: { code: 'internal_error', message: 'Try again', requestId: 'req_1' } }
    await page.route(`**/status-pages/${id}/selectors`, (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 503, json: unavailable }) : route.fallback(),
    )
    await save.click()
    await page.getByText('The page is saved, but its label selectors are not.').waitFor()
    await page.getByText('Unsaved changes', { exact: true }).waitFor()
    await page.unroute(`**/status-pages/${id}/selectors`)
    await save.click()
    await page.getByText('Unsaved changes', { exact: true }).waitFor({ state: 'detached' })
    assert.deepEqual(await stored(), [
      { name: 'Shop', selector: 'team=web' },
      { name: 'API', selector: 'team=api' },
    ])
  })
})
