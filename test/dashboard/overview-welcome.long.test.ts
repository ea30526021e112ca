import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { current } from '../support/monitors.ts'
import { useHttpTarget } from '../support/targets.ts'
import { joinAs } from './accounts.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('The first run', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const target = useHttpTarget()

  test('empty screens link to the form for the first monitor', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.getByText('No monitors yet').waitFor()
    await expectAccessible(page, 'monitors-empty')
    await page.goto(dashboard.at('/incidents'))
    await page.getByText('No ongoing incidents').waitFor()
    await expectAccessible(page, 'incidents-empty')
  })

  test('viewers see that a member or an admin has to add monitors', async () => {
    const page = await dashboard.open({ person: await joinAs(dashboard, 'viewer@example.com', 'VIEWER') })
    for (const [name, path, shown] of [
      ['overview', '/', 'The status of your monitors appears here'],
      ['monitors', '/monitors', 'No monitors yet'],
      ['published', '/published', 'No incidents on your status pages right now'],
      ['maintenance', '/maintenance', 'No maintenance scheduled'],
      ['pages', '/status-pages', 'No status pages yet'],
      ['webhooks', '/webhooks', 'No webhook endpoints yet'],
    ] as const) {
      await page.goto(dashboard.at(path))
      await page.getByText(shown).waitFor()
      await expectAccessible(page, `viewer-${name}-empty`)
    }
  })

  test('a pasted URL becomes a monitor that is up and a status page', async () => {
    const client = dashboard.server.client()
    const page = await dashboard.open()
    await page.goto(dashboard.at('/'))
    await page.waitForURL(/\/welcome$/)
    await page.getByRole('heading', { level: 1, name: 'What do you want to monitor?' }).waitFor()
    await expectAccessible(page, 'welcome')
    const field = page.getByLabel('URL or host')
    const type = page.getByLabel('Type')
    for (const [typed, guessed] of [
      ['https://shop.example/', 'HTTP'],
      ['shop.example', 'HTTP'],
      ['db.example:5432', 'PORT'],
      ['192.0.2.7', 'PING'],
      ['db-1', 'PING'],
      ['2001:db8::7', 'PING'],
    ] as const) {
      await field.fill(typed)
      await eventually(async () => assert.equal(await type.inputValue(), guessed, typed))
    }
    await field.fill(`127.0.0.1:${target.port}`)
    await type.selectOption('HTTP')
    await field.fill(target.url)
    await field.press('Enter')
    await page.getByText(/^HTTP 200 in/).waitFor()
    await page.getByText('First byte').waitFor()
    assert.equal((await client.get('/monitors')).body.pagination.total, 0, 'trying saves nothing')
    await expectAccessible(page, 'welcome-tried')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Start monitoring', 'Enter again keeps it')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'New monitor' }).getByText('Up', { exact: true }).waitFor()
    const id = new URL(page.url()).searchParams.get('monitor') as string
    const { url, intervalSeconds } = await current(client, id)
    assert.deepEqual([url, intervalSeconds], [target.url, 60], 'who just began wants to know soon')
    await page.getByText('Next check within 1 min.').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Publish status page' }).waitFor()
    await page.locator('[aria-current="step"]').filter({ hasText: 'Set up alerts' }).waitFor()
    await expectAccessible(page, 'welcome-up')
    await page.getByRole('button', { name: 'Publish status page' }).click()
    await page.getByText('Your status page is live').waitFor()
    await expectAccessible(page, 'welcome-published')
    const address = (await page.getByRole('link', { name: /opens in a new tab/ }).getAttribute('href')) as string
    const shown = await (await fetch(address)).text()
    assert.match(shown, />Website</)
    assert.doesNotMatch(shown, new RegExp(`127\\.0\\.0\\.1:${target.port}`))
    const [statusPage] = (await client.get('/status-pages')).body.data
    const zone = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')
    assert.deepEqual([statusPage.slug, statusPage.timezone], ['acme', zone])
    await page.getByRole('link', { name: 'Go to overview' }).click()
    await page.getByRole('heading', { level: 1, name: /Your monitor is up\./ }).waitFor()
    await expectAccessible(page, 'overview-first')
  })

  test('a target that does not answer shows the reason and can still be added', async () => {
    const page = await dashboard.open()
    target.status = 500
    await page.goto(dashboard.at('/welcome'))
    await page.getByLabel('URL or host').fill(target.url)
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText(/^HTTP 500 Internal Server Error/).waitFor()
    await page.getByRole('button', { name: 'Test again' }).click()
    await page.getByRole('button', { name: 'Add anyway' }).waitFor()
    await expectAccessible(page, 'welcome-failing')
    await page.getByRole('link', { name: 'All settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'New monitor' }).waitFor()
    assert.equal(await page.getByLabel('URL', { exact: true }).inputValue(), target.url, 'what was typed is kept')
  })
})
