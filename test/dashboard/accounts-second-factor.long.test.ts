import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { addAuthenticator } from '../support/browser.ts'
import { HandClock } from '../support/clock.ts'
import { AuthenticatorApp } from '../support/second-factor.ts'
import { addressOf, fillSignIn, INSIDE, openOutside } from './accounts.ts'
import { expectAccessible, OWNER, PASSWORD, useDashboard, withoutBrowser } from './dashboard.ts'

describe('two-factor authentication', { skip: withoutBrowser }, () => {
  const clock = new HandClock()
  const dashboard = useDashboard({ clock })
  let phone: AuthenticatorApp
  let codes: readonly string[]

  test('is set up with an app, and gives recovery codes once', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/account'))
    await page.getByText('Anyone who knows your password can sign in.').waitFor()
    await expectAccessible(page, 'settings-account')
    await page.getByRole('button', { name: 'Set up authenticator app' }).click()
    await page.getByLabel('Your password', { exact: true }).fill('wrong password')
    await page.keyboard.press('Enter')
    await page.getByText('Your password is wrong', { exact: true }).waitFor()
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    await expectAccessible(page, 'settings-totp')
    const uri = await page.getByRole('link', { name: 'Open in an app on this device' }).getAttribute('href')
    const secret = new URL(uri as string).searchParams.get('secret') as string
    assert.equal((await page.locator('[data-secret]').textContent())?.replaceAll(' ', ''), secret)
    phone = new AuthenticatorApp(secret, clock)
    await page.getByLabel('Code from the app').fill(phone.wrong())
    await page.keyboard.press('Enter')
    await page.getByText(/^Wrong code\. Check that/).waitFor()
    await page.getByLabel('Code from the app').fill(phone.code())
    await page.keyboard.press('Enter')
    const text = (await page.getByRole('region', { name: 'Recovery codes' }).textContent()) as string
    codes = text.trim().split(/\s+/)
    assert.equal(codes.length, 10)
    await expectAccessible(page, 'settings-recovery-codes')
    await page.getByRole('button', { name: 'I’ve saved them' }).click()
    await page.getByText('10 recovery codes left').waitFor()
    assert.equal((await dashboard.owner.get('/me/security')).body.recoveryCodesLeft, 10)
  })

  test('the password alone does not sign in; a code of the app does, and leads to the requested page', async () => {
    const page = await openOutside(dashboard)
    await page.goto(addressOf(dashboard.server, '/sign-in?next=/o/default/settings/members'))
    await fillSignIn(page, OWNER)
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
    await expectAccessible(page, 'sign-in-second-step')
    assert.deepEqual(await page.context().cookies(), [])
    // The field has the focus already: nobody has to click.
    await page.locator('input:focus').waitFor()
    await page.keyboard.type(phone.wrong())
    await page.keyboard.press('Enter')
    await page.getByText('The code is wrong').waitFor()
    await page.getByLabel('Code').fill(phone.next())
    await page.keyboard.press('Enter')
    await page.waitForURL('**/o/default/settings/members')
  })

  test('a recovery code replaces a code of the app, once', async () => {
    const enter = async (): Promise<Page> => {
      const page = await openOutside(dashboard)
      await page.goto(addressOf(dashboard.server, '/sign-in'))
      await fillSignIn(page, OWNER)
      await page.getByRole('button', { name: /Use a recovery code/ }).click()
      await page.getByLabel('Recovery code').fill(codes[0] as string)
      await page.keyboard.press('Enter')
      return page
    }
    const first = await enter()
    await first.waitForURL(INSIDE)
    const second = await enter()
    await second.getByText('The code is wrong or was already used').waitFor()
    await expectAccessible(second, 'sign-in-recovery')
    assert.equal((await dashboard.owner.get('/me/security')).body.recoveryCodesLeft, 9)
  })

  test('new recovery codes replace the old ones, and turning it off requires the password', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/account'))
    await page.getByRole('button', { name: 'New recovery codes' }).click()
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    const text = (await page.getByRole('region', { name: 'Recovery codes' }).textContent()) as string
    assert.ok(!text.includes(codes[1] as string))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Yes, close' }).click()
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('heading', { name: 'Turn off two-factor authentication?' }).waitFor()
    await expectAccessible(page, 'settings-totp-off')
    await page.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText('Anyone who knows your password can sign in.').waitFor()
    assert.equal((await dashboard.owner.get('/me/security')).body.totp, null)
  })
})

describe('passkeys', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('a passkey can be added, renamed, used to sign in without a password, and removed', async () => {
    const page = await dashboard.open({ isNew: true })
    await addAuthenticator(page)
    await page.goto(dashboard.at('/settings/account'))
    await page.getByText('No passkeys yet.').waitFor()
    await page.getByRole('button', { name: 'Add passkey' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Laptop')
    await dialog.getByLabel('Your password', { exact: true }).fill(PASSWORD)
    await expectAccessible(page, 'settings-add-passkey')
    await page.keyboard.press('Enter')
    const passkeys = page.getByRole('list', { name: 'Passkeys' })
    await passkeys.getByText('Laptop').waitFor()
    await page.getByRole('button', { name: 'Rename Laptop' }).click()
    await dialog.getByLabel('Name').fill('Work laptop')
    await page.keyboard.press('Enter')
    await passkeys.getByText('Work laptop').waitFor()
    await dialog.waitFor({ state: 'detached' })
    await expectAccessible(page, 'settings-passkeys')
    await page.context().clearCookies()
    await page.goto(addressOf(dashboard.server, '/sign-in?next=/o/default/settings/account'))
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL('**/o/default/settings/account')
    await passkeys.getByText(/last used (just now|\d+ s ago)/).waitFor()
    await page.getByRole('button', { name: 'Remove Work laptop' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No passkeys yet.').waitFor()
    assert.deepEqual((await dashboard.owner.get('/me/security')).body.passkeys, [])
    // What the device still has opens nothing.
    await page.context().clearCookies()
    await page.goto(addressOf(dashboard.server, '/sign-in'))
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('No account uses this passkey').waitFor()
  })
})

describe('your account', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('the theme is stored in the browser', async () => {
    const page = await dashboard.open({ colorScheme: 'light' })
    await page.goto(dashboard.at('/settings/account'))
    await page.getByRole('button', { name: 'Dark' }).last().click()
    await page.reload()
    await page.locator('html[data-theme="dark"]').waitFor()
  })

  test('the name can be changed, other sessions ended, and a new password ends all sessions', async () => {
    const other = await openOutside(dashboard)
    await other.goto(addressOf(dashboard.server, '/sign-in'))
    await fillSignIn(other, OWNER)
    await other.waitForURL(INSIDE)
    const page = await dashboard.open()
    await page.goto(dashboard.at('/settings/account'))
    await page.getByLabel('Name').fill('Ada Lovelace')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('Saved').waitFor()
    assert.equal((await dashboard.owner.get('/me')).body.user.name, 'Ada Lovelace')
    const sessions = page.getByRole('list', { name: 'Sessions' })
    await sessions.getByRole('button', { name: /^Sign out Chrome on Linux/ }).click()
    await sessions.getByRole('button', { name: /^Sign out/ }).waitFor({ state: 'detached' })
    await other.goto(dashboard.at('/settings/members'))
    await other.waitForURL('**/sign-in?next=*')
    await fillSignIn(other, OWNER)
    await other.waitForURL('**/settings/members')
    await page.getByLabel('Current password', { exact: true }).fill('wrong password')
    await page.getByLabel('New password', { exact: true }).fill('another fine password')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Current password is wrong', { exact: true }).waitFor()
    await page.getByLabel('Current password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed.').waitFor()
    await other.reload()
    await other.waitForURL('**/sign-in?next=*')
    await fillSignIn(other, OWNER, 'another fine password')
    await other.waitForURL('**/settings/members')
  })
})
