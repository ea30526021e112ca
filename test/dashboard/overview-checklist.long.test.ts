import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mailEnv } from '../notifications/subscribers/mailing.ts'
import { eventually } from '../support/eventually.ts'
import { createMonitor } from '../support/monitors.ts'
import { PASSWORD, tokenIn } from '../support/person.ts'
import { startSmtp } from '../support/smtp-server.ts'
import { joinAs } from './accounts.ts'
import { expectAccessible, expectFits, useDashboard, withoutBrowser } from './dashboard.ts'

const smtp = await startSmtp()
after(() => smtp[Symbol.asyncDispose]())

describe('The setup checklist', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_ROLES: 'api,sender', ...mailEnv(smtp.port) } })
  let monitorId = ''
  before(async () => {
    monitorId = (await createMonitor(dashboard.server.client(), { name: 'Backup', type: 'CRON' })).id
  })

  test('viewers see the warning about missing alerts but no checklist', async () => {
    // With a mail server the first acceptance only sends a link, which confirms the address.
    const address = 'viewer@example.com'
    const person = await joinAs(dashboard, address, 'VIEWER')
    const link = await eventually(async () => {
      const found = /https?:\/\/\S+/.exec(smtp.mails.find(({ to }) => to.includes(address))?.text ?? '')?.[0]
      assert.ok(found)
      return found
    })
    assert.equal((await person.post('/invitations/accept', { token: tokenIn(link), password: PASSWORD })).status, 200)
    const page = await dashboard.open({ person })
    for (const path of ['/', '/monitors', `/monitors/${monitorId}`]) {
      await page.goto(dashboard.at(path))
      await page.getByText('Ask a member or admin to set up alerts.').waitFor()
    }
    assert.equal(await page.getByText('Finish setting up').count(), 0)
    await expectAccessible(page, 'alert-banner-viewer')
  })

  test('each step can be done from the overview and is then ticked', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/'))
    const checklist = page.getByRole('region', { name: 'Finish setting up' })
    // The viewer above is another member.
    await checklist.getByText('1 of 4 done').waitFor()
    await page.getByText('Nobody is alerted if a monitor goes down').waitFor()
    await expectAccessible(page, 'overview-checklist')
    await expectFits(page, 'overview-checklist', 768)
    await checklist.getByRole('button', { name: 'Alert me by e-mail' }).click()
    await checklist.getByText('2 of 4 done').waitFor()
    await page.getByText('Nobody is alerted if a monitor goes down').waitFor({ state: 'detached' })
    await checklist.getByRole('button', { name: 'Send test alert' }).click()
    await checklist.getByText('3 of 4 done').waitFor()
    await checklist.getByRole('link', { name: 'Create status page' }).click()
    await page.getByRole('dialog', { name: 'New status page' }).waitFor()
  })

  test('hiding it hides it for all members, and Undo shows it again', async () => {
    const page = await dashboard.open()
    const other = await dashboard.open()
    for (const window of [page, other]) {
      await window.goto(dashboard.at('/'))
      await window.getByText('Finish setting up').waitFor()
    }
    await page.getByRole('button', { name: 'Dismiss' }).click()
    for (const window of [page, other]) await window.getByText('Finish setting up').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    for (const window of [page, other]) await window.getByText('Finish setting up').waitFor()
  })

  test('a monitor without alert contacts shows a warning with a link to choose contacts', async () => {
    const [contact] = (await dashboard.owner.get('/v1/contacts')).body.data
    await dashboard.owner.delete(`/v1/monitors/${monitorId}/contacts/${contact.id}`)
    const page = await dashboard.open()
    await page.goto(dashboard.at(`/monitors/${monitorId}`))
    const banner = page.getByRole('complementary', { name: 'Missing alerts' })
    await banner.getByText('Nobody is alerted if this monitor goes down').waitFor()
    await expectAccessible(page, 'alert-banner')
    await banner.getByRole('link', { name: 'Choose contacts' }).click()
    await page.waitForURL(/\/edit$/)
    await page.goto(dashboard.at('/'))
    await banner.getByText('1 monitor has no alert contact').waitFor()
    await banner.getByRole('link', { name: 'Show it' }).click()
    await page.waitForURL(/\/monitors\?uncovered=true$/)
    await page.getByRole('button', { name: 'No alert contact', pressed: true }).waitFor()
    await page.getByText('1 match').waitFor()
    await expectAccessible(page, 'monitors-uncovered')
  })
})
