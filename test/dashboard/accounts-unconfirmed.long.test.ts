import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { linkIn, unconfirm, useMailInstallation } from '../attacks/mail-installation.ts'
import { useBrowser, withoutBrowser } from '../support/browser.ts'
import { addressOf, fillSignIn, here, INSIDE } from './accounts.ts'
import { expectAccessible, OWNER, PASSWORD } from './dashboard.ts'

const LINUS = 'linus@example.com'

describe('addresses that are not confirmed', { skip: withoutBrowser }, () => {
  const installation = useMailInstallation('sqlite')
  const started = useBrowser()
  const open = async () => (await started.browser.newContext()).newPage()
  const linkTo = async (count: number, address = LINUS) =>
    here(linkIn((await installation.now.received(address, count)).text))

  test('an invitation link asks for the address, and the e-mail continues', async () => {
    const page = await open()
    const { owner } = installation.now
    const { link } = (await owner.post('/invitations', { role: 'MEMBER' })).body
    await page.goto(here(link))
    await page.getByLabel('E-mail').fill(LINUS)
    assert.equal(await page.getByLabel('Password', { exact: true }).count(), 0)
    await expectAccessible(page, 'invitation-address')
    await page.keyboard.press('Enter')
    await page.getByText('We’ve sent a link to linus@example.com').waitFor()
    await expectAccessible(page, 'invitation-sent')
    await page.goto(await linkTo(1))
    await page.getByText('For linus@example.com').waitFor()
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL(INSIDE)
  })

  test('only a mailed link reveals that the address has an account', async () => {
    await installation.now.owner.post('/invitations', { role: 'MEMBER', email: OWNER })
    const page = await open()
    await page.goto(await linkTo(1, OWNER))
    await page.getByText('already has an account').waitFor()
    await expectAccessible(page, 'invitation-has-account')
  })

  test('a user from before the mail server confirms the address, then adds an app', async () => {
    await unconfirm(installation.now.server, LINUS)
    const page = await open()
    await page.goto(addressOf(installation.now.server, '/sign-in?next=/o/default/settings/account'))
    await fillSignIn(page, LINUS)
    const setUp = page.getByRole('button', { name: 'Set up authenticator app' })
    await page.getByText('before you add an authenticator app or a passkey').waitFor()
    assert.equal(await setUp.count(), 0)
    await expectAccessible(page, 'settings-account-unconfirmed')
    await page.getByRole('button', { name: 'Send confirmation e-mail' }).click()
    await page.getByText('We’ve sent a link to linus@example.com').waitFor()
    const link = await linkTo(2)
    assert.match(link, /confirm-email/)
    const elsewhere = await open()
    await elsewhere.goto(link)
    await elsewhere.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(link)
    await page.getByRole('button', { name: 'Confirm e-mail address' }).waitFor()
    await expectAccessible(page, 'confirm-email')
    await page.getByRole('button', { name: 'Confirm e-mail address' }).click()
    await page.getByText('E-mail address confirmed').waitFor()
    await page.goto(addressOf(installation.now.server, '/o/default/settings/account'))
    await setUp.waitFor()
  })
})
