import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { here, INSIDE, joinAs, openOutside } from './accounts.ts'
import { expectAccessible, PASSWORD, useDashboard, withoutBrowser } from './dashboard.ts'

const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })

describe('the organization’s settings', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('a new name of the organization appears everywhere at once, and the plan shows its limits', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings'))
    await page.getByLabel('Name').fill('Acme Rockets')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page
      .getByRole('button', { name: /^Acme Rockets: organizations/ })
      .first()
      .waitFor()
    await page.getByText('Self-hosted').waitFor()
    await page.getByText('No limit').first().waitFor()
    await expectAccessible(page, 'settings-organization')
    assert.equal((await dashboard.owner.get('/me')).body.organizations[0].name, 'Acme Rockets')
  })

  test('a plan with limits shows how much is used', async () => {
    const page = await dashboard.open()
    await page.route('**/app/api/v1/usage', async (route) => {
      const answer = await (await route.fetch()).json()
      const meters = { monitors: { used: 9, limit: 10 }, statusPages: { used: 1, limit: 1 } }
      await route.fulfill({ json: { ...answer, ...meters, plan: 'FREE', webhookEndpoints: { used: 0, limit: 2 } } })
    })
    await page.goto(dashboard.at('/settings/organization'))
    await page.getByText('Limit reached').waitFor()
    await page.getByText('1 left', { exact: true }).waitFor()
    await expectAccessible(page, 'settings-plan')
  })

  test('a member is invited by a link that is shown once, gets another role, and is removed', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/members'))
    await page.getByText('No pending invitations.').waitFor()
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByLabel('E-mail (optional)').fill('grace@example.com')
    await page.getByLabel('Role').selectOption('Viewer')
    await expectAccessible(page, 'settings-invite')
    await page.keyboard.press('Enter')
    const link = (await page.getByRole('region', { name: 'Invitation link' }).textContent()) as string
    await expectAccessible(page, 'settings-invited')
    await page.getByRole('button', { name: 'Done' }).click()
    await closed(page)
    await page.getByRole('list', { name: 'Pending invitations' }).getByText('grace@example.com').waitFor()
    const outside = await openOutside(dashboard)
    await outside.goto(here(link.trim()))
    await outside.getByLabel('Your name (optional)').fill('Grace Hopper')
    await outside.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await outside.keyboard.press('Enter')
    await outside.waitForURL(INSIDE)
    // Without a reload.
    const members = page.getByRole('list', { name: 'Members' })
    await members.getByText('Grace Hopper').waitFor()
    await page.getByLabel('Role of Grace Hopper').selectOption('Admin')
    await page.getByText('Grace Hopper is now an admin').waitFor()
    await expectAccessible(page, 'settings-members')
    const { body } = await dashboard.owner.get('/members')
    assert.equal(body.data.find(({ name }: { name: string }) => name === 'Grace Hopper').role, 'ADMIN')
    await page.getByRole('button', { name: 'Remove Grace Hopper' }).click()
    await page.getByRole('heading', { name: 'Remove Grace Hopper?' }).waitFor()
    await expectAccessible(page, 'settings-remove-member')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await members.getByText('Grace Hopper', { exact: true }).waitFor({ state: 'detached' })
    assert.equal((await dashboard.owner.get('/members')).body.data.length, 1)
  })

  test('a revoked invitation cannot be used', async () => {
    const { body } = await dashboard.owner.post('/invitations', { role: 'MEMBER', email: 'late@example.com' })
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/members'))
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No pending invitations.').waitFor()
    const outside = await openOutside(dashboard)
    await outside.goto(here(body.link))
    await outside.getByRole('heading', { name: 'Invitation not valid' }).waitFor()
  })

  test('the audit log shows who changed what, filters by person, and loads older entries', async () => {
    const ada = await joinAs(dashboard, 'ada@example.com', 'ADMIN', 'Ada')
    for (let i = 0; i < 55; i++) await ada.patch('/organization', { name: `Acme ${i}` })
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/audit'))
    await page.getByText('Ada changed the organization').first().waitFor()
    await expectAccessible(page, 'settings-audit')
    const rows = page.locator('main ol > li')
    assert.equal(await rows.count(), 50)
    await page.getByLabel('Changed by').selectOption('Ada')
    await page.waitForURL('**/settings/audit?who=usr_*')
    await page.getByRole('button', { name: 'Show older' }).click()
    await page.getByText('Ada accepted an invitation').waitFor()
    assert.equal(await rows.count(), 56)
  })
})

describe('API keys', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()
  const ask = async (key: string, method = 'GET') => {
    const response = await fetch(`${dashboard.server.url}/api/v1/monitors`, { method, headers: { 'x-api-key': key } })
    await response.body?.cancel()
    return response.status
  }

  test('a key is shown once, works, and is refused as soon as it is disabled or revoked', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/keys'))
    await page.getByRole('button', { name: 'New API key' }).click()
    // Read-only is the default.
    assert.equal(await page.getByLabel('Access').inputValue(), 'read-only')
    await page.getByLabel('Name').fill('Deploy script')
    await expectAccessible(page, 'settings-new-key')
    await page.keyboard.press('Enter')
    const key = ((await page.getByRole('region', { name: 'API key', exact: true }).textContent()) as string).trim()
    assert.match(key, /^phr_/)
    await expectAccessible(page, 'settings-key-shown')
    await page.getByRole('button', { name: 'I’ve copied it' }).click()
    await closed(page)
    assert.ok(!(await page.content()).includes(key))
    assert.deepEqual([await ask(key), await ask(key, 'POST')], [200, 403])
    await page.reload()
    const row = page.getByRole('listitem').filter({ hasText: 'Deploy script' })
    await row.getByText('Active').waitFor()
    await expectAccessible(page, 'settings-keys')
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for Deploy script' }).first().click()
      await page.getByRole('button', { name, exact: true }).click()
    }
    await act('Disable')
    await row.getByText('Disabled').waitFor()
    assert.equal(await ask(key), 401)
    await act('Enable')
    await row.getByText('Active').waitFor()
    assert.equal(await ask(key), 200)
    await act('Replace…')
    await page.getByLabel('Old key stops working').selectOption('After 1 hour')
    await expectAccessible(page, 'settings-replace-key')
    await page.getByRole('button', { name: 'Create new key' }).click()
    const next = ((await page.getByRole('region', { name: 'API key', exact: true }).textContent()) as string).trim()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Yes, close' }).click()
    await closed(page)
    assert.deepEqual([await ask(key), await ask(next)], [200, 200])
    await page.getByText(/expires in (59 min|1 h)/).waitFor()
    // The newest stands first: it is the one revoked.
    await act('Revoke…')
    await page.getByText('Revoking is permanent').waitFor()
    await expectAccessible(page, 'settings-revoke-key')
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Revoked and expired (1)').waitFor()
    assert.deepEqual([await ask(key), await ask(next)], [200, 401])
  })

  test('a past date is rejected beside its field', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/keys'))
    await page.getByRole('button', { name: 'New API key' }).click()
    await page.getByLabel('Name').fill('Late')
    await page.getByLabel('Expires').selectOption('Custom date')
    const day = page.getByLabel('Last day')
    await page.evaluate(`document.querySelector('input[type=date]').removeAttribute('min')`)
    await day.fill('2020-01-01')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Last day must be in the future', { exact: true }).waitFor()
  })
})
