import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startReceiver } from '../support/receiver.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('a failing alert contact', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_ALERT_WAIT: '0' } })

  test('is marked on the overview, the monitor and the incident, and is no finished step', async () => {
    await using receiver = await startReceiver()
    receiver.status = 500
    const { owner, server } = dashboard
    const settings = { url: receiver.url }
    await owner.post('/v1/contacts', { name: 'Ops', channel: 'WEBHOOK', settings })
    const { body: monitor } = await owner.post('/v1/monitors', { name: 'Backup', type: 'CRON' })
    await fetch(`${server.url}${new URL(monitor.heartbeatUrl).pathname}/fail`)
    const incidentId = await eventually(async () => {
      assert.equal((await owner.get('/v1/alert-coverage')).body.contacts, 'FAILING')
      return (await owner.get('/v1/incidents')).body.data[0].id
    })
    const page = await dashboard.open()
    await page.goto(dashboard.at('/'))
    const banner = page.getByRole('complementary', { name: 'Missing alerts' })
    await banner.getByText('Nobody is alerted if a monitor goes down').waitFor()
    await banner.getByText('Ops gets no alerts: Webhook returned HTTP 500').waitFor()
    await page.getByText('Alerts don’t reach Ops.').waitFor()
    await page.getByText('0 of 4 done').waitFor()
    await expectAccessible(page, 'overview-failing-contact')
    await page.goto(dashboard.at(`/monitors/${monitor.id}`))
    await banner.getByText('Nobody is alerted if this monitor goes down').waitFor()
    await page.getByText('Webhook (JSON), failing').waitFor()
    await page.goto(dashboard.at(`/incidents/${incidentId}`))
    await page.getByText('Webhook (JSON), failing').waitFor()
    await expectAccessible(page, 'incident-failing-contact')

    // Another contact covers the monitors: the failing one is still named.
    await owner.post('/v1/contacts', { name: 'Night', channel: 'WEBHOOK', settings: { url: 'https://hooks.example/' } })
    await page.goto(dashboard.at('/'))
    await banner.getByText('1 alert contact is failing').waitFor()
  })
})
