import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { newId } from '../../src/lib/ids.ts'
import { openIncident } from '../../src/monitoring/incidents/queries.ts'
import { execute, q } from '../../src/storage/query.ts'
import { eventually } from '../support/eventually.ts'
import { createMonitor } from '../support/monitors.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

const MONITORS = 201

describe('A dashboard with many monitors', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api', PHAROS_RATE_LIMIT: '10000' } })
  before(async () => {
    const client = dashboard.server.client()
    for (let i = 1; i <= MONITORS; i += 1) {
      const { id } = await createMonitor(client, { name: `Backup ${i} of the shop`, type: 'CRON' })
      await client.send('PUT', `/monitors/${id}/labels`, { labels: { customer: `c${i}` } })
    }
    await createMonitor(client, { name: 'Shop', type: 'PING', host: 'shop.example' })
  })

  const openGerman = async () => {
    await dashboard.owner.patch('/me', { language: 'de' })
    const page = await dashboard.open({ isNew: true })
    await page.goto(dashboard.at('/settings/account'))
    await page.locator('html[lang="de"]').waitFor()
    return page
  }

  test('the palette lists the monitor with exactly that name first', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors'))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Screen, monitor or action' }).fill('shop')
    const selected = page.getByRole('listbox', { name: 'Results' }).getByRole('option', { selected: true })
    await eventually(async () => assert.match((await selected.textContent()) ?? '', /^Shop/))
  })

  test('a label with too many values is named, and the list stays as it was filtered', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors?labels=customer&group=label:customer'))
    await page.getByText('"customer" has 201 values, too many to group by.').waitFor()
    assert.equal(await page.getByLabel('Filter by labels').inputValue(), 'customer')
    assert.equal(await page.locator('[data-row]').count(), 50)
  })

  test('the picker of a maintenance window loads pages, and the names of those that are chosen', async () => {
    const page = await dashboard.open()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(dashboard.at('/maintenance/new'))
    const pick = page.getByRole('group', { name: /^Monitors/ })
    await eventually(async () => assert.equal(await pick.getByRole('checkbox').count(), 50))
    await pick.getByRole('button', { name: 'Show more (202 in total)' }).click()
    await eventually(async () => assert.equal(await pick.getByRole('checkbox').count(), 100))
    assert.equal(asked.filter((path) => path.endsWith('/v1/monitors')).length, 0)
    await pick.getByLabel('Filter monitors').fill('shop')
    await pick.getByRole('checkbox', { name: 'Shop Ping', exact: true }).check()
    await expectAccessible(page, 'maintenance-picker')
    await page.getByLabel('Name', { exact: true }).fill('Upgrade')
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await page.getByRole('link', { name: 'Shop', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await eventually(async () => assert.equal(await pick.getByRole('checkbox').first().isChecked(), true))
  })

  test('a form shows all its errors at once, in the language of the dashboard', async () => {
    const page = await openGerman()
    await page.goto(dashboard.at('/maintenance/new'))
    await page.getByLabel('Name', { exact: true }).fill('')
    await page.getByLabel('Beginn').first().fill('')
    await page.getByRole('button', { name: 'Planen', exact: true }).click()
    await eventually(async () => assert.equal(await page.getByText('Erforderlich', { exact: true }).count(), 2))
    assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-invalid")'), 'true')
  })

  test('an outage shows in the title and the icon of the tab, and its cause in the language and zone of the reader', async () => {
    const page = await openGerman()
    const tools = await page.context().newCDPSession(page)
    await tools.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' })
    await page.goto(dashboard.at('/incidents'))
    await page.getByRole('heading', { level: 1 }).waitFor()
    const icon = () => page.evaluate<string>('document.querySelector("link[rel=icon]").href')
    const calm = await icon()
    assert.doesNotMatch(await page.title(), /^\(/)
    await dashboard.server.running.database.write(function* () {
      const [monitor] = yield* execute(q.selectFrom('monitors').select(['num', 'org_id']).limit(1))
      if (monitor === undefined) throw new Error('There is no monitor')
      const error = 'No heartbeat since Nov 18, 2026, 2:02 PM UTC (expected by Nov 18, 2026, 2:03 PM UTC)'
      const failure = { at: Date.now(), statusCode: null, responseMs: null, error, ip: null, excerpt: null }
      yield* openIncident(monitor.org_id, newId('inc', Date.now()), monitor.num, 'HEARTBEAT_MISSED', failure)
    })
    await page.reload()
    await eventually(async () => assert.match(await page.title(), /^\(1\) /))
    assert.notEqual(await icon(), calm)
    await page.getByText(/Kein Heartbeat seit 18\. Nov\., 23:02/).waitFor()
    assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /UTC/)
  })

  test('the columns and numbers of the list are in the language of the reader', async () => {
    const page = await openGerman()
    await page.goto(dashboard.at('/monitors'))
    await page.getByRole('columnheader', { name: 'Status', exact: true }).waitFor()
    await page.getByRole('columnheader', { name: 'Geprüft', exact: true }).waitFor()
  })

  test('the settings name what is missing to send e-mail', async () => {
    const page = await dashboard.open()
    await dashboard.owner.patch('/me', { language: null })
    await page.goto(dashboard.at('/settings/organization'))
    await page.getByText('Set PHAROS_SMTP_URL and PHAROS_MAIL_FROM, then restart.').waitFor()
    await expectAccessible(page, 'settings-mail')
  })
})
