import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY_MS } from '../../src/lib/clock.ts'
import { HandClock } from '../support/clock.ts'
import { Person } from '../support/person.ts'
import { startTestServer } from '../support/server.ts'
import { addressOf, fillSignIn, here, INSIDE, joinAs, openOutside } from './accounts.ts'
import { expectAccessible, OWNER, PASSWORD, useDashboard, withoutBrowser } from './dashboard.ts'

describe('the first run', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('the first user of the setup link becomes the owner, by keyboard alone, and the link stops working', async () => {
    await using fresh = await startTestServer('sqlite')
    const page = await dashboard.open({ person: new Person(fresh) })
    await page.goto(addressOf(fresh))
    await page.getByRole('heading', { name: 'Where to find the link' }).waitFor()
    await expectAccessible(page, 'set-up-without-link')
    await page.goto(addressOf(fresh, `/setup?token=${fresh.setupToken}`))
    await page.getByLabel('E-mail').waitFor()
    await expectAccessible(page, 'set-up')
    const { keyboard } = page
    await page.locator('input:focus').waitFor()
    await keyboard.type('ada@example.com')
    await keyboard.press('Tab')
    await keyboard.type('short')
    await keyboard.press('Enter')
    // The browser itself holds the form back.
    assert.equal(new URL(page.url()).pathname, '/setup')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByLabel('Organization').fill('Lovelace & Co')
    await keyboard.press('Enter')
    await page.waitForURL('**/o/default/welcome')
    await page.getByText('Lovelace & Co').first().waitFor()
    const other = await dashboard.open({ person: new Person(fresh) })
    await other.goto(addressOf(fresh, `/setup?token=${fresh.setupToken}`))
    await other.getByRole('heading', { name: 'Pharos is already set up' }).waitFor()
    await expectAccessible(other, 'set-up-claimed')
    const again = { token: fresh.setupToken, email: 'eve@example.com', password: PASSWORD }
    assert.equal((await new Person(fresh).post('/setup', { ...again, organizationName: 'Eve' })).status, 404)
    await other.getByRole('link', { name: 'Sign in' }).click()
    await fillSignIn(other, 'ada@example.com')
    await other.waitForURL(INSIDE)
    // Before their server goes.
    for (const window of [page, other]) await window.context().close()
  })

  test('a setup link that is not valid any more says so beside the form', async () => {
    await using fresh = await startTestServer('sqlite')
    const page = await dashboard.open({ person: new Person(fresh) })
    await page.goto(addressOf(fresh, '/setup?token=wrong'))
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByLabel('Organization').fill('Lovelace')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('This setup link is not valid').waitFor()
    await page.context().close()
  })
})

describe('signing in', { skip: withoutBrowser }, () => {
  // The clock stands still, so that the wait is not over when the page appears.
  const dashboard = useDashboard({ clock: new HandClock() })

  test('an unknown address and a wrong password get the same message', async () => {
    const page = await openOutside(dashboard)
    await page.goto(addressOf(dashboard.server, '/sign-in'))
    await page.getByLabel('E-mail').waitFor()
    await expectAccessible(page, 'sign-in')
    const shown: string[] = []
    for (const email of [OWNER, 'nobody@example.com']) {
      await fillSignIn(page, email, 'not the password')
      shown.push((await page.getByRole('alert').locator('p').textContent()) ?? '')
      await expectAccessible(page, 'sign-in-wrong')
      // A request ID is for faults of the server, not for refusals.
      assert.equal(await page.getByText('Request ID').count(), 0)
      await page.reload()
    }
    assert.deepEqual(shown, Array(2).fill('Wrong e-mail address or password'))
  })

  test('after too many wrong passwords the page says when to try again', async () => {
    const email = 'slow@example.com'
    const person = new Person(dashboard.server)
    for (let i = 0; i < 7; i++) await person.signIn(email, 'wrong password')
    const page = await openOutside(dashboard)
    await page.goto(addressOf(dashboard.server, '/sign-in'))
    await fillSignIn(page, email, 'wrong password')
    await page.getByText(/Try again in \d+ s/).waitFor()
  })

  test('leads to the requested page, but never to another site', async () => {
    for (const [next, expected] of [
      ['/o/default/settings/members', /\/o\/default\/settings\/members$/],
      ['//evil.example/', INSIDE],
      ['/\\evil.example', INSIDE],
      ['https://evil.example/', INSIDE],
      ['javascript:alert(1)', INSIDE],
    ] as const) {
      const page = await openOutside(dashboard)
      await page.goto(addressOf(dashboard.server, `/sign-in?next=${encodeURIComponent(next)}`))
      await fillSignIn(page, OWNER)
      await page.waitForURL((url) => url.pathname.startsWith('/o/'))
      await page.waitForURL(expected)
      assert.equal(new URL(page.url()).hostname, 'localhost')
      await page.context().close()
    }
  })

  test('errors of the provider are shown as text, also unknown codes', async () => {
    const page = await openOutside(dashboard)
    await page.goto(addressOf(dashboard.server, '/sign-in?problem=oidc_unverified'))
    await page.getByText('has not verified your e-mail address').waitFor()
    await page.goto(addressOf(dashboard.server, '/sign-in?problem=%3Cscript%3E'))
    await page.getByText('failed. Ask the operator').waitFor()
  })

  test('without a mail server the page says that the operator can reset a password', async () => {
    const page = await openOutside(dashboard)
    await page.goto(addressOf(dashboard.server, '/sign-in'))
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.getByText('pharos users reset-password').waitFor()
    await expectAccessible(page, 'reset-password-without-mail')
    await page.goto(addressOf(dashboard.server, '/reset-password?token=wrong'))
    await page.getByLabel('New password', { exact: true }).fill('another fine password')
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('This link is not valid').waitFor()
    await expectAccessible(page, 'reset-password-invalid')
    assert.equal(await page.getByLabel('New password').count(), 0)
    await page.getByRole('link', { name: 'Request a new link' }).click()
    await page.getByRole('heading', { name: 'Forgot password?' }).waitFor()
  })

  test('the page says that sign-up is closed', async () => {
    const page = await openOutside(dashboard)
    await page.goto(addressOf(dashboard.server, '/sign-up'))
    await page.getByRole('heading', { name: 'Sign-up is closed' }).waitFor()
    await expectAccessible(page, 'sign-up-closed')
  })
})

describe('invitations', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('an invitation works once and grants its role', async () => {
    const { body } = await dashboard.owner.post('/invitations', { role: 'VIEWER', email: 'grace@example.com' })
    const page = await openOutside(dashboard)
    await page.goto(here(body.link))
    await page.getByRole('heading', { name: 'Join Acme' }).waitFor()
    await page.getByText('as a viewer').waitFor()
    await expectAccessible(page, 'invitation')
    await page.getByLabel('Your name (optional)').fill('Grace')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL(INSIDE)
    const { body: members } = await dashboard.owner.get('/members')
    const grace = members.data.find(({ name }: { name: string }) => name === 'Grace')
    assert.deepEqual([grace.email, grace.role], ['grace@example.com', 'VIEWER'])
    const late = await openOutside(dashboard)
    await late.goto(here(body.link))
    await late.getByText('Invitation not valid').waitFor()
    await expectAccessible(late, 'invitation-used')
  })

  test('a signed-in user joins at once; a user with an account signs in first', async () => {
    const linus = await joinAs(dashboard, 'linus@example.com', 'MEMBER', 'Linus')
    const { body } = await dashboard.owner.post('/invitations', { role: 'ADMIN', email: 'linus@example.com' })
    const outside = await openOutside(dashboard)
    await outside.goto(here(body.link))
    await outside.getByRole('link', { name: 'Sign in to join' }).click()
    await fillSignIn(outside, 'linus@example.com')
    await outside.getByText('You are signed in as').waitFor()
    await expectAccessible(outside, 'invitation-signed-in')
    await outside.getByRole('button', { name: 'Join as Linus' }).click()
    await outside.getByText('You are already a member of this organization').waitFor()
    const page = await dashboard.open({ person: linus })
    await page.goto(
      here((await dashboard.owner.post('/invitations', { role: 'VIEWER', email: 'x@example.com' })).body.link),
    )
    await page.getByRole('button', { name: 'Join as Linus' }).click()
    await page.getByText('This invitation is for x@example.com').waitFor()
  })
})

describe('a session', { skip: withoutBrowser }, () => {
  const clock = new HandClock()
  const dashboard = useDashboard({ clock })

  test('that has ended leads to sign-in, and then back to the same page', async () => {
    const page = await openOutside(dashboard)
    await page.goto(addressOf(dashboard.server, '/sign-in'))
    await fillSignIn(page, OWNER)
    await page.waitForURL(INSIDE)
    await page.goto(dashboard.at('/settings/account'))
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    // Everything that the screen asks for is there: what is still asked would be refused, and lead away before the click.
    await page.getByText('Current', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Set up authenticator app' }).waitFor()
    clock.advance(8 * DAY_MS)
    await page.getByRole('link', { name: 'Members' }).click()
    await page.waitForURL('**/sign-in?next=*')
    assert.equal(new URL(page.url()).searchParams.get('next'), '/o/default/settings/members')
    await fillSignIn(page, OWNER)
    await page.waitForURL('**/o/default/settings/members')
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
  })
})

describe('the shell', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard()

  test('its pages cannot be framed and run only its own scripts', async () => {
    for (const path of ['/', '/sign-in', '/setup?token=x', '/o/default/settings/keys', '/invitation?token=x']) {
      const { headers, status } = await fetch(dashboard.server.url + path)
      const policy = headers.get('content-security-policy') ?? ''
      assert.equal(status, 200, path)
      assert.doesNotMatch(policy, /unsafe-|\*|https?:/)
      assert.match(policy, /default-src 'none'.*script-src 'self'; style-src 'self'.*frame-ancestors 'none'/)
      assert.equal(headers.get('x-frame-options'), 'DENY')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
    }
  })

  test('its cookies are sent to this server only and hidden from scripts', async () => {
    const page = await openOutside(dashboard)
    await page.goto(addressOf(dashboard.server, '/sign-in'))
    await fillSignIn(page, OWNER)
    await page.waitForURL(INSIDE)
    const cookies = await page.context().cookies()
    assert.deepEqual(cookies.map(({ name }) => name).sort(), ['pharos', 'pharos-browser'])
    for (const { httpOnly, sameSite, path } of cookies) assert.deepEqual([httpOnly, sameSite, path], [true, 'Lax', '/'])
    assert.equal(await page.evaluate('document.cookie'), '')
    await using secure = await startTestServer('sqlite', { env: { PHAROS_BASE_URL: 'https://pharos.example' } })
    const claim = { token: secure.setupToken, email: OWNER, password: PASSWORD, organizationName: 'Acme' }
    const created = await fetch(`${secure.url}/app/api/setup`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: 'https://pharos.example',
        'sec-fetch-site': 'same-origin',
      },
      body: JSON.stringify(claim),
    })
    assert.match(
      created.headers.get('set-cookie') ?? '',
      /^__Host-pharos=[^;]+; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/,
    )
  })
})
