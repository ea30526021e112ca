import { describe, test } from 'node:test'
import { joinAs } from './accounts.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

const LONG = `${'W'.repeat(60)}${'x'.repeat(60)}`

describe('The look of the settings', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('the longest allowed names do not break the layout', async () => {
    const { owner } = dashboard
    await joinAs(dashboard, `${'long'.repeat(15)}@${'domain.'.repeat(8)}example.com`, 'ADMIN', LONG)
    await owner.post('/invitations', { role: 'VIEWER', email: `${'guest'.repeat(12)}@example.com` })
    await owner.post('/keys', { name: LONG, access: 'full' })
    const settings = { topic: 'alerts', server: `https://${'sub.'.repeat(40)}example.com`, token: 't'.repeat(40) }
    await owner.post('/v1/contacts', { name: LONG, channel: 'NTFY', settings, kinds: ['OPENED'] })
    await owner.patch('/me', { name: LONG })
    const page = await dashboard.open()
    for (const part of ['members', 'contacts', 'keys', 'audit']) {
      await page.goto(dashboard.at(`/settings/${part}`))
      await page
        .getByText(/WWWWxxxx|long@domain/)
        .first()
        .waitFor({ state: 'attached' })
      await expectAccessible(page, `settings-long-${part}`)
    }
    await page.goto(dashboard.at('/settings/account'))
    await page.getByRole('button', { name: 'Leave' }).scrollIntoViewIfNeeded()
    await expectAccessible(page, 'settings-account-end')
  })

  test('a failed request shows the reason and what to report to the operator', async () => {
    const page = await dashboard.open()
    const error = { code: 'internal_error', message: 'Something broke on our side', requestId: 'req_0123456789abcdef' }
    for (const [part, path] of [
      ['organization', 'v1/usage'],
      ['members', 'members'],
      ['contacts', 'v1/contacts?**'],
      ['keys', 'keys'],
      ['audit', 'v1/audit-log?**'],
      ['account', 'me/security'],
    ]) {
      const broken = `**/app/api/${path}`
      // One that is not worth trying again, or the page would be patient.
      await page.route(broken, (route) => route.fulfill({ status: 422, json: { error } }))
      await page.goto(dashboard.at(`/settings/${part}`))
      await page.getByText('Something broke on our side').waitFor()
      await page.getByText('req_0123456789abcdef').waitFor()
      await page.unroute(broken)
      if (part === 'keys') await expectAccessible(page, 'settings-broken')
      await page.getByRole('button', { name: 'Retry' }).first().click()
      await page.getByText('Something broke on our side').waitFor({ state: 'detached' })
    }
  })
})
