import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { useProvider } from '../accounts/sign-in/oidc-installation.ts'
import { useBrowser, withoutBrowser } from '../support/browser.ts'
import { addressOf } from './accounts.ts'
import { expectAccessible } from './dashboard.ts'

describe('sign-in with an identity provider', { skip: withoutBrowser }, () => {
  const installation = useProvider('sqlite', { PHAROS_OIDC_NAME: 'Example ID' })
  const started = useBrowser()
  const openSignIn = async (next = ''): Promise<Page> => {
    const page = await (await started.browser.newContext()).newPage()
    await page.goto(addressOf(installation.server, `/sign-in${next}`))
    return page
  }

  test('a user with a verified address signs in and gets to the requested page', async () => {
    const page = await openSignIn('?next=/o/default/settings')
    const way = page.getByRole('link', { name: 'Sign in with Example ID' })
    await way.waitFor()
    await expectAccessible(page, 'sign-in-oidc')
    await way.click()
    await page.waitForURL('**/o/default/settings')
    await page.getByRole('heading', { name: 'Organization', level: 1 }).waitFor()
  })

  test('a user without an account sees what to do', async () => {
    installation.provider.behaviour.claims = { sub: 'eve', email: 'eve@example.com', email_verified: true }
    const page = await openSignIn()
    await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
    await page.getByText('There is no account for your Example ID e-mail address').waitFor()
    await expectAccessible(page, 'sign-in-oidc-unknown')
    assert.equal(new URL(page.url()).pathname, '/sign-in')
  })
})
