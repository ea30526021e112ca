import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { createMonitor, setLabels } from '../support/monitors.ts'
import { expectAccessible, expectFits, useDashboard, withoutBrowser } from './dashboard.ts'

describe('Labels in the dashboard', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('labels are edited on the monitor page, and filter and group the list', async () => {
    const client = dashboard.server.client()
    const ids: string[] = []
    for (const name of ['Apple', 'Banana', 'Cherry']) ids.push((await createMonitor(client, { name, type: 'CRON' })).id)
    await setLabels(client, ids[1] as string, { team: 'web', env: 'prod' })
    const page = await dashboard.open()
    await page.goto(dashboard.at(`/monitors/${ids[0]}`))
    await page.getByText('No labels yet.').waitFor()
    await page.getByRole('button', { name: 'Edit labels' }).click()
    await page.getByRole('button', { name: 'Add label' }).click()
    await page.getByLabel('Key of label 1').fill('team')
    await page.getByLabel('Value of label 1').fill('pay, all')
    await page.getByRole('button', { name: 'Add label' }).click()
    await page.getByLabel('Key of label 2').fill('team')
    await page.getByRole('button', { name: 'Save changes' }).click()
    const repeated = page.getByLabel('Key of label 2')
    const problem = await repeated.evaluate(
      (input) => (input as unknown as { validationMessage: string }).validationMessage,
    )
    assert.equal(problem, 'This key is used above. Use each key once.')
    await page.getByRole('button', { name: 'Remove label team' }).nth(1).click()
    await expectAccessible(page, 'monitor-edit-labels')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Labels saved').waitFor()
    assert.deepEqual((await client.get(`/monitors/${ids[0]}/labels`)).body, { labels: { team: 'pay, all' } })
    await page.getByRole('button', { name: 'team: pay, all' }).click()
    await page.waitForURL(/labels=team/)
    const rows = page.locator('[data-row]')
    await eventually(async () => assert.deepEqual(await rows.allTextContents(), ['Apple']))

    const filter = page.getByLabel('Filter by labels')
    await filter.fill('team=')
    await page.getByText('Can’t read this filter after “team=”.').waitFor()
    await filter.fill('team')
    await eventually(async () => assert.deepEqual(await rows.allTextContents(), ['Apple', 'Banana']))
    await filter.fill('')
    // The pause after typing ends before the page is drawn again: both changes are kept.
    await page.getByLabel('Group by').evaluate((element) => {
      const select = element as unknown as { value: string } & EventTarget
      select.value = 'label:team'
      select.dispatchEvent(new Event('change', { bubbles: true }))
      const end = performance.now() + 300
      while (performance.now() < end);
    })
    await page.getByRole('button', { name: 'Without team 1' }).click()
    await page.waitForURL(/collapsed=/)
    await eventually(async () => assert.deepEqual(await rows.allTextContents(), ['Apple', 'Banana']))
    await page.reload()
    await page.getByRole('button', { name: 'Without team 1', expanded: false }).waitFor()
    await expectAccessible(page, 'monitors-by-label')
    for (const width of [360, 768, 1280]) await expectFits(page, 'monitors-by-label', width)
  })

  test('labels are added and removed in bulk, by selection and by selector', async () => {
    const client = dashboard.server.client()
    const page = await dashboard.open()
    const labels = async (name: string) => {
      const { data } = (await client.get('/monitors')).body
      const { id } = data.find((monitor: { name: string }) => monitor.name === name)
      return (await client.get(`/monitors/${id}/labels`)).body.labels
    }
    await page.goto(dashboard.at('/monitors'))
    await page.getByLabel('Select Cherry').check()
    await page.getByRole('button', { name: 'Labels', exact: true }).click()
    await page.getByLabel('Key of label 1').fill('env')
    await page.getByLabel('Value of label 1').fill('prod')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Labels of 1 monitor saved').waitFor()
    assert.deepEqual(await labels('Cherry'), { env: 'prod' })

    await page.goto(dashboard.at('/monitors?labels=env%3Dprod'))
    await page.getByText('2 matches').waitFor()
    await page.getByLabel('Select Banana').check()
    await page.getByRole('button', { name: 'Select all 2 that match' }).click()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('2 monitors paused').waitFor()
    await page.getByRole('button', { name: 'Labels', exact: true }).click()
    await page.getByRole('checkbox', { name: 'env' }).check()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Labels of 2 monitors saved').waitFor()
    assert.deepEqual([await labels('Banana'), await labels('Cherry')], [{ team: 'web' }, {}])
  })
})
