import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { addAuthenticator, useBrowser, withoutBrowser } from '../../support/browser.ts'
import { OWNER, useInstallation } from '../../support/person.ts'
import { originOf } from '../authenticator.ts'

/** Runs in the page, like the dashboard's own code. `kind` is create or get. */
const CEREMONY = `async ({ kind, optionsPath, donePath, more }) => {
  const post = async (path, body) => {
    const response = await fetch('/app/api' + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    return { status: response.status, body: await response.json() }
  }
  const { body: { token, options } } = await post(optionsPath, {})
  const parse = kind === 'create' ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON'
  const credential = await navigator.credentials[kind]({ publicKey: PublicKeyCredential[parse](options) })
  return post(donePath, { token, response: credential.toJSON(), ...more })
}`

describe('passkeys in a browser', { skip: withoutBrowser }, () => {
  const its = useBrowser()
  const installation = useInstallation('sqlite')

  test('are added and sign in without a user name', async () => {
    const { owner } = installation
    const origin = originOf(installation)
    const context = await its.browser.newContext()
    const page: Page = await context.newPage()
    await page.goto(`${origin}/healthz`)
    await addAuthenticator(page)
    const run = (task: object): Promise<{ status: number; body: Record<string, unknown> }> =>
      page.evaluate(`(${CEREMONY})(${JSON.stringify(task)})`)
    const [name, value] = (owner.cookie as string).split('=') as [string, string]
    await context.addCookies([{ name, value, url: origin }])
    const more = { name: 'Virtual' }
    const added = await run({ kind: 'create', optionsPath: '/me/passkeys/options', donePath: '/me/passkeys', more })
    assert.equal(added.status, 201, JSON.stringify(added.body))
    await context.clearCookies()
    const done = await run({ kind: 'get', optionsPath: '/sign-in/passkey/options', donePath: '/sign-in/passkey' })
    assert.equal(done.status, 200, JSON.stringify(done.body))
    const me = await page.evaluate(`fetch('/app/api/me').then((response) => response.json())`)
    assert.equal((me as { user: { email: string } }).user.email, OWNER)
    await context.close()
  })
})
