import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, type TestBrowser, withoutBrowser } from '../support/browser.ts'
import { CLIENT, type OidcProvider, startOidcProvider } from '../support/oidc-provider.ts'
import { claim } from '../support/person.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { addressOf } from './accounts.ts'
import { expectAccessible, OWNER } from './dashboard.ts'

describe('sign-in with an identity provider', { skip: withoutBrowser }, () => {
  let provider: OidcProvider
  let server: TestServer
  let browser: TestBrowser
  before(async () => {
    provider = await startOidcProvider()
    server = await startTestServer('sqlite', {
      env: {
        PHAROS_ROLES: 'api',
        PHAROS_OIDC_ISSUER: provider.issuer,
        PHAROS_OIDC_NAME: 'Example ID',
        PHAROS_OIDC_CLIENT_ID: CLIENT.id,
        PHAROS_OIDC_CLIENT_SECRET: CLIENT.secret,
      },
    })
    await claim(server, OWNER)
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
    await provider?.[Symbol.asyncDispose]()
  })
  const begin = async (claims: object, next = ''): Promise<Page> => {
    Object.assign(provider.behaviour, { claims })
    const page = await (await browser.newContext()).newPage()
    await page.goto(addressOf(server, `/sign-in${next}`))
    return page
  }

  test('a user with a verified address signs in and gets to the requested page', async () => {
    const page = await begin(
      { sub: 'ada', email: OWNER, email_verified: true, name: 'Ada' },
      '?next=/o/default/settings',
    )
    const way = page.getByRole('link', { name: 'Sign in with Example ID' })
    await way.waitFor()
    await expectAccessible(page, 'sign-in-oidc')
    await way.click()
    await page.waitForURL('**/o/default/settings')
    await page.getByRole('heading', { name: 'Organization', level: 1 }).waitFor()
  })

  test('a user without an account sees what to do', async () => {
    const page = await begin({ sub: 'eve', email: 'eve@example.com', email_verified: true })
    await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
    await page.getByText('There is no account for your Example ID e-mail address').waitFor()
    await expectAccessible(page, 'sign-in-oidc-unknown')
    assert.equal(new URL(page.url()).pathname, '/sign-in')
  })
})
