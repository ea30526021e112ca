import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { joinAs } from './accounts.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('API keys of removed members', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('are listed in the removal dialog, selected, and revoked unless they are unticked', async () => {
    const admin = await joinAs(dashboard, 'mallory@example.com', 'ADMIN', 'Mallory')
    for (const name of ['Backdoor', 'Deployment']) await admin.post('/keys', { name, access: 'full' })
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/members'))
    await page.getByRole('button', { name: 'Remove Mallory' }).click()
    const dialog = page.getByRole('dialog')
    const keys = dialog.getByRole('group', { name: 'API keys created by Mallory (2 selected)' })
    await keys.waitFor()
    assert.ok(await keys.getByRole('checkbox', { name: /Backdoor/ }).isChecked())
    await keys.getByRole('checkbox', { name: /Deployment.*never used/ }).uncheck()
    await expectAccessible(page, 'settings-remove-member-keys')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Mallory is no longer a member; 1 API key revoked').waitFor()
    await page.goto(dashboard.at('/settings/keys'))
    const row = page
      .getByRole('list', { name: 'API keys', exact: true })
      .getByRole('listitem')
      .filter({ hasText: 'Deployment' })
    await row.getByText('Creator is no longer a member').waitFor()
    await row.getByText(/created .* by Mallory/).waitFor()
    await expectAccessible(page, 'settings-keys-of-former-member')
    const { body } = await dashboard.owner.get('/keys')
    const status = (name: string) => body.data.find((key: { name: string }) => key.name === name).status
    assert.deepEqual([status('Backdoor'), status('Deployment')], ['revoked', 'active'])
  })

  test('are listed for members who leave', async () => {
    const admin = await joinAs(dashboard, 'going@example.com', 'ADMIN', 'Gwen')
    await admin.post('/keys', { name: 'Mine', access: 'full' })
    const page = await dashboard.open({ person: admin })
    await page.goto(dashboard.at('/settings/account'))
    await page
      .getByText(/last used .* from 127\.0\.0\.1/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Leave' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: /Mine/ }).waitFor()
    await expectAccessible(page, 'settings-leave-keys')
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'You’re not in an organization' }).waitFor()
    const { body } = await dashboard.owner.get('/keys')
    assert.equal(body.data.find((key: { name: string }) => key.name === 'Mine').status, 'revoked')
  })
})

describe('invitations of members who lose their role', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('are listed before the role changes or the member is removed, and revoked with it', async () => {
    const admin = await joinAs(dashboard, 'mallory@example.com', 'ADMIN', 'Mallory')
    await admin.post('/invitations', { role: 'ADMIN' })
    await admin.post('/invitations', { role: 'VIEWER', email: 'friend@example.com' })
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/members'))
    await page.getByLabel('Role of Mallory').selectOption('Member')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('These pending invitations are revoked:').waitFor()
    assert.deepEqual(await dialog.getByRole('listitem').allInnerTexts(), [
      'friend@example.com Viewer',
      'Anyone with the link Admin',
    ])
    await expectAccessible(page, 'settings-change-role-invitations')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await page.getByLabel('Role of Mallory').inputValue(), 'ADMIN')
    await page.getByRole('button', { name: 'Remove Mallory' }).click()
    await dialog.getByText('These pending invitations are revoked:').waitFor()
    await expectAccessible(page, 'settings-remove-member-invitations')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Role of Mallory').selectOption('Member')
    await dialog.getByRole('button', { name: 'Change role' }).click()
    await page.getByText('Mallory is now a member').waitFor()
    await page.getByText('No pending invitations.').waitFor()
    await page.getByLabel('Role of Mallory').selectOption('Viewer')
    await page.getByText('Mallory is now a viewer').waitFor()
  })
})
