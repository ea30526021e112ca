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
})
