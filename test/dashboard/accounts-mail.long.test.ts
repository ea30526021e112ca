import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { linkIn, type MailInstallation, useMailInstallation } from '../attacks/mail-installation.ts'
import { useBrowser, withoutBrowser } from '../support/browser.ts'
import { eventually } from '../support/eventually.ts'
import { Person, tokenIn } from '../support/person.ts'
import { addSecondFactor } from '../support/second-factor.ts'
import { addressOf, fillSignIn, here, INSIDE } from './accounts.ts'
import { expectAccessible, OWNER, PASSWORD } from './dashboard.ts'

describe('with a mail server', { skip: withoutBrowser }, () => {
  const installation = useMailInstallation('sqlite')
  const started = useBrowser()
  const open = async () => (await started.browser.newContext()).newPage()
  const at = (path: string) => addressOf(installation.now.server, path)
  const linkTo = (address: string) =>
    eventually(async () => {
      const mail = installation.now.mailsTo(address).at(-1)
      assert.ok(mail)
      return here(linkIn(mail.text))
    })

  test('a new user signs up, chooses a password with the mailed link, and gets an organization', async () => {
    const page = await open()
    await page.goto(at('/sign-in'))
    await page.getByRole('link', { name: 'Sign up' }).click()
    // The page before has an address and a password too.
    await page.getByRole('heading', { name: 'Sign up' }).waitFor()
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Organization').fill('Engines')
    assert.equal(await page.getByLabel('Password', { exact: true }).count(), 0)
    await expectAccessible(page, 'sign-up')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Check your inbox' }).waitFor()
    await expectAccessible(page, 'sign-up-sent')
    await correctAfterSending(page, installation.now)
    const link = await linkTo('ada@example.com')
    await page.goto(link)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await expectAccessible(page, 'confirm')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/o/*/welcome')
    await page
      .getByRole('button', { name: /^Engines: organizations/ })
      .first()
      .waitFor()
    await page.goto(link)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByText('This link is not valid').waitFor()
  })

  test('a forgotten password is reset with the mailed link', async () => {
    const page = await open()
    await page.goto(at('/reset-password'))
    await page.getByLabel('E-mail').fill(OWNER)
    await expectAccessible(page, 'reset-password-request')
    await page.keyboard.press('Enter')
    await page.getByText('we’ve sent a reset link').waitFor()
    await page.goto(await linkTo(OWNER))
    await page.getByLabel('New password', { exact: true }).fill('another fine password')
    await expectAccessible(page, 'reset-password')
    await page.keyboard.press('Enter')
    await page.waitForURL(INSIDE)
    const other = await open()
    await other.goto(at('/sign-in'))
    await fillSignIn(other, OWNER, 'another fine password')
    await other.waitForURL(INSIDE)
    // An invitation with an address is mailed, and its link shown to nobody.
    await other.goto(at('/o/default/settings/members'))
    await other.getByRole('button', { name: 'Invite' }).click()
    await other.getByLabel('E-mail (optional)').fill('grace@example.com')
    await other.getByRole('button', { name: 'Send invitation' }).click()
    await other.getByText('Invitation sent to').waitFor()
    assert.match(await linkTo('grace@example.com'), /\/invitation\?token=/)
  })

  test('a password reset does not turn off the authenticator app', async () => {
    const { server, clock } = installation.now
    const grace = new Person(server)
    const token = tokenIn(await linkTo('grace@example.com'))
    await grace.post('/invitations/accept', { token, password: PASSWORD })
    const { app } = await addSecondFactor(grace, clock)
    await grace.post('/password-reset/request', { email: 'grace@example.com' })
    const link = await eventually(async () => {
      const found = await linkTo('grace@example.com')
      assert.match(found, /reset-password/)
      return found
    })
    const page = await open()
    await page.goto(link)
    await page.getByLabel('New password', { exact: true }).fill('another fine password')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
    assert.deepEqual(await page.context().cookies(), [])
    await page.getByLabel('Code').fill(app.next())
    await page.keyboard.press('Enter')
    await page.waitForURL(INSIDE)
  })
})

/** An e-mail that does not arrive is sent again, and a wrong address corrected. */
async function correctAfterSending(page: Page, { mailsTo }: MailInstallation): Promise<void> {
  await page.getByRole('button', { name: 'Resend e-mail' }).click()
  await page.getByText('We’ve sent it again.').waitFor()
  await eventually(async () => assert.equal(mailsTo('ada@example.com').length, 2))
  await page.getByRole('button', { name: 'change the address' }).click()
  assert.equal(await page.getByLabel('E-mail').inputValue(), 'ada@example.com')
  assert.equal(await page.getByLabel('Organization').inputValue(), 'Engines')
}
