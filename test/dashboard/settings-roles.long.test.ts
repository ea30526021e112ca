import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { joinAs } from './accounts.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('roles in the settings', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('a viewer sees no controls to change anything', async () => {
    const viewer = await joinAs(dashboard, 'vera@example.com', 'VIEWER', 'Vera')
    const settings = { url: 'https://hooks.example/alerts' }
    await dashboard.owner.post('/v1/contacts', { name: 'Pager', channel: 'WEBHOOK', settings })
    const page = await dashboard.open({ person: viewer })
    await page.goto(dashboard.at('/settings/organization'))
    await page.getByText('Self-hosted').waitFor()
    const parts = await page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allTextContents()
    assert.deepEqual(parts, ['Organization', 'Members', 'Alert contacts', 'Your account'])
    const buttons = page.getByRole('main').getByRole('button', { name: /^(?!Copy)/ })
    assert.equal(await buttons.count(), 0)
    await page.goto(dashboard.at('/settings/members'))
    await page.getByRole('list', { name: 'Members' }).getByText(/^Vera/).waitFor()
    assert.equal((await buttons.count()) + (await page.getByRole('combobox').count()), 0)
    await expectAccessible(page, 'settings-members-viewer')
    await page.goto(dashboard.at('/settings/contacts'))
    await page.getByText('Pager').waitFor()
    assert.equal(await buttons.count(), 0)
    for (const path of ['keys', 'audit']) {
      await page.goto(dashboard.at(`/settings/${path}`))
      await page.getByText('Admins and owners only').waitFor()
    }
    await expectAccessible(page, 'settings-not-yours')
  })

  test('a member can change contacts but not members; an admin can change both, except owners', async () => {
    const page = await dashboard.open({ person: await joinAs(dashboard, 'max@example.com', 'MEMBER', 'Max') })
    await page.goto(dashboard.at('/settings/contacts'))
    await page.getByRole('button', { name: 'New alert contact' }).first().waitFor()
    await page.goto(dashboard.at('/settings/members'))
    await page.getByRole('list', { name: 'Members' }).getByText(/^Max/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Invite' }).count(), 0)
    const admin = await dashboard.open({ person: await joinAs(dashboard, 'amy@example.com', 'ADMIN', 'Amy') })
    await admin.goto(dashboard.at('/settings/members'))
    await admin.getByLabel('Role of Max').waitFor()
    assert.equal(await admin.getByLabel('Role of owner').count(), 0)
    assert.deepEqual(await admin.getByLabel('Role of Max').locator('option').allTextContents(), [
      'Viewer',
      'Member',
      'Admin',
    ])
  })

  test('a reduced role takes effect at once, and the page says so', async () => {
    const person = await joinAs(dashboard, 'sam@example.com', 'ADMIN', 'Sam')
    const page = await dashboard.open({ person })
    await page.goto(dashboard.at('/settings/members'))
    await page.getByRole('button', { name: 'Invite' }).click()
    const { body } = await dashboard.owner.get('/members')
    const { userId } = body.data.find(({ name }: { name: string }) => name === 'Sam')
    await dashboard.owner.patch(`/members/${userId}`, { role: 'VIEWER' })
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('alert').waitFor()
    assert.equal((await person.post('/invitations', { role: 'VIEWER' })).status, 403)
  })
})

describe('several organizations', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_OPEN_SIGNUP: 'true', PHAROS_SIGNUP_PLAN: 'PRO' } })

  test('can be created and switched, and their data never mix', async () => {
    const page = await dashboard.open()
    await dashboard.server
      .client()
      .post('/monitors', { type: 'HTTP', name: 'Of Acme alone', url: 'https://example.com/' })
    await page.goto(dashboard.at('/settings/account'))
    await page.getByRole('button', { name: 'New organization' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Side project')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/o/*/welcome')
    const [, , slug] = new URL(page.url()).pathname.split('/')
    assert.notEqual(slug, 'default')
    await page.goto(page.url().replace('/welcome', '/settings/keys'))
    await page.getByText('No API keys yet').waitFor()
    await expectAccessible(page, 'settings-keys-empty')
    const second = await dashboard.open()
    await second.goto(dashboard.at('/settings/account'))
    const rows = second.getByRole('list', { name: 'Your organizations' })
    await rows.getByText('Side project').waitFor()
    await second
      .getByRole('button', { name: /^Acme: organizations/ })
      .first()
      .click()
    await second.getByRole('button', { name: 'Side project' }).click()
    await second
      .getByRole('button', { name: /^Side project: organizations/ })
      .first()
      .waitFor()
    await second.getByRole('heading', { name: 'What do you want to monitor?' }).waitFor()
    assert.equal(new URL(second.url()).pathname, `/o/${slug}/welcome`)
    assert.equal(await second.getByText('Of Acme alone').count(), 0)
    // The root address opens the organization that was used last.
    await second.goto(new URL('/', second.url()).href)
    await second.waitForURL(`**/o/${slug}/welcome`)
  })

  test('the last owner cannot leave, and a user who leaves their only organization sees what to do', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/account'))
    await page.getByText('You are the only owner').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Leave' }).isDisabled())
    await expectAccessible(page, 'settings-last-owner')
    const leaver = await dashboard.open({ person: await joinAs(dashboard, 'lea@example.com', 'MEMBER', 'Lea') })
    await leaver.goto(dashboard.at('/settings/account'))
    await leaver.getByRole('button', { name: 'Leave' }).click()
    await leaver.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await leaver.getByRole('heading', { name: 'You’re not in an organization' }).waitFor()
    await expectAccessible(leaver, 'no-organization')
    await leaver.goto(dashboard.at('/settings/members'))
    await leaver.getByText('You don’t have access to this organization').waitFor()
  })
})
