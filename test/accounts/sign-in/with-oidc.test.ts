import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startOidcProvider } from '../../support/oidc-provider.ts'
import { claim, joinByInvitation, OWNER, PASSWORD, Person } from '../../support/person.ts'
import { addSecondFactor } from '../../support/second-factor.ts'
import { startTestServer } from '../../support/server.ts'
import { actionsOf } from '../audit-log.ts'
import { OidcBrowser } from './oidc-browser.ts'
import { oidcSettings, useProvider } from './oidc-installation.ts'

forEachEngine('signing in with OIDC', (engine) => {
  const installation = useProvider(engine, { PHAROS_OIDC_NAME: 'Example ID' })
  const newBrowser = (): OidcBrowser => new OidcBrowser(installation.server)

  test('is offered with the name of the provider', async () => {
    assert.deepEqual((await new Person(installation.server).get('/about')).body.oidc, { name: 'Example ID' })
  })

  test('signs in to the account with the verified address, and goes to the requested page', async () => {
    const browser = newBrowser()
    assert.equal(await browser.signIn('/monitors?tab=2#x'), '/monitors?tab=2#x')
    assert.equal((await browser.person().get('/me')).body.user.email, OWNER)
    const { body } = await installation.owner.get('/v1/audit-log?limit=5')
    assert.equal(body.data[0].action, 'linkIdentity')
    assert.ok((await installation.owner.get('/me')).status === 200, 'other sessions go on')
  })

  test('recognizes a linked subject even if its address has changed', async () => {
    installation.provider.behaviour.claims = { sub: 'subject-1', email: 'moved@example.com', email_verified: false }
    const browser = newBrowser()
    assert.equal(await browser.signIn(), '/')
    assert.equal((await browser.person().get('/me')).body.user.email, OWNER)
  })

  test('replaces the session of the browser', async () => {
    const browser = newBrowser()
    await browser.signIn()
    const planted = browser.person()
    await browser.signIn()
    assert.notEqual(browser.person().cookie, planted.cookie)
    assert.equal((await planted.get('/me')).status, 401)
    assert.equal((await browser.person().get('/me')).status, 200)
  })

  test('asks for no second factor, which is left to the provider', async () => {
    const guest = await joinByInvitation(installation, 'guarded@example.com', 'VIEWER')
    await addSecondFactor(guest, installation.clock)
    await installation.server.running.database.write(() =>
      execute(q.updateTable('users').set({ email_verified_at: 1 }).where('email', '=', 'guarded@example.com')),
    )
    installation.provider.behaviour.claims = { sub: 'guarded', email: 'Guarded@Example.com', email_verified: true }
    const browser = newBrowser()
    assert.equal(await browser.signIn(), '/')
    assert.equal((await browser.person().get('/me')).body.user.email, 'guarded@example.com')
    assert.notEqual((await browser.person().get('/me/security')).body.totp, null, 'and leaves it as it is')
  })

  test('accepts ES256 signatures, and claims of the userinfo endpoint', async () => {
    installation.provider.behaviour.alg = 'ES256'
    assert.equal(await newBrowser().signIn(), '/')
    installation.provider.behaviour.claims = { sub: 'subject-2', email: OWNER, email_verified: true }
    installation.provider.behaviour.claimsInUserinfoOnly = true
    assert.equal(await newBrowser().signIn(), '/')
  })

  test('redirects to no other server', async () => {
    for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', '/\t/evil.example', 'x', '/a b']) {
      assert.equal(await newBrowser().signIn(next), '/', next)
    }
  })

  test('keeps its state in a sealed, short-lived HttpOnly cookie', async () => {
    const { setCookies } = await newBrowser().request('/app/api/oidc/start')
    assert.match(
      setCookies[0] ?? '',
      /^pharos-oidc=[\w.+/=]+; Path=\/app\/api\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/,
    )
    assert.equal(setCookies.length, 1)
  })
})

forEachEngine('OIDC sign-in is refused', (engine) => {
  const installation = useProvider(engine)
  const ends = async (
    problem: string,
    browser = new OidcBrowser(installation.server),
    answer?: string,
  ): Promise<void> => {
    const { location } = await browser.request(answer ?? (await browser.getCallbackUrl()))
    assert.equal(location, `/sign-in?problem=${problem}`)
    assert.equal(browser.person().cookie, undefined)
  }

  test('if the provider has not verified the address, or sends none', async () => {
    for (const claims of [
      { email: OWNER, email_verified: false },
      { email: OWNER },
      { email: OWNER, email_verified: 'true' },
      { email_verified: true },
      { email: 'no address', email_verified: true },
    ]) {
      installation.provider.behaviour.claims = { sub: 'stranger', ...claims }
      await ends('oidc_unverified')
    }
  })

  test('if no user has the address', async () => {
    installation.provider.behaviour.claims = { sub: 'stranger', email: 'stranger@example.com', email_verified: true }
    await ends('oidc_unknown')
  })

  test('if the callback belongs to another browser', async () => {
    const answer = await new OidcBrowser(installation.server).getCallbackUrl()
    await ends('oidc_over', new OidcBrowser(installation.server), answer)
    const victim = new OidcBrowser(installation.server)
    await victim.request('/app/api/oidc/start')
    await ends('oidc_invalid', victim, answer)
  })

  test('if the callback is repeated, late, or has a forged cookie', async () => {
    const twice = new OidcBrowser(installation.server)
    const answer = await twice.getCallbackUrl()
    const kept = twice.cookies.get('pharos-oidc') as string
    assert.equal((await twice.request(answer)).location, '/')
    twice.cookies.clear()
    twice.cookies.set('pharos-oidc', kept)
    await ends('oidc_invalid', twice, answer)
    const late = new OidcBrowser(installation.server)
    const slow = await late.getCallbackUrl()
    installation.clock.advance(10 * MINUTE_MS)
    await ends('oidc_over', late, slow)
    const forged = new OidcBrowser(installation.server)
    const other = await forged.getCallbackUrl()
    forged.cookies.set('pharos-oidc', `${kept.slice(0, -8)}AAAAAAA=`)
    await ends('oidc_over', forged, other)
  })

  test('if the ID token is not signed by the provider, or not for this sign-in', async () => {
    const { behaviour } = installation.provider
    for (const alg of ['RS256', 'ES256'] as const) {
      Object.assign(behaviour, { alg, signsWithUnknownKey: true })
      await ends('oidc_invalid')
    }
    behaviour.signsWithUnknownKey = false
    for (const token of [{ nonce: 'another' }, { aud: 'another' }, { iss: 'https://evil.example' }, { exp: 1 }]) {
      behaviour.token = token
      await ends('oidc_invalid')
    }
  })

  test('if the user denies it at the provider', async () => {
    installation.provider.behaviour.callbackError = 'access_denied'
    await ends('oidc_denied')
  })

  test('if the provider is unreachable at the callback', async () => {
    const browser = new OidcBrowser(installation.server)
    const answer = await browser.getCallbackUrl()
    installation.provider.behaviour.isUnreachable = true
    await ends('oidc_away', browser, answer)
  })
})

forEachEngine('an account with an unverified address', (engine) => {
  const installation = useProvider(engine)

  test('loses password, second factor, sessions and API keys when the owner of the address signs in with OIDC', async () => {
    const squatter = await joinByInvitation(installation, 'victim@example.com', 'ADMIN')
    const { key } = (await squatter.post('/keys', { name: 'Backdoor', access: 'full' })).body
    await addSecondFactor(squatter, installation.clock)
    installation.provider.behaviour.claims = { sub: 'victim', email: 'victim@example.com', email_verified: true }
    const victim = new OidcBrowser(installation.server)
    assert.equal(await victim.signIn(), '/')
    assert.equal((await squatter.get('/me')).status, 401)
    assert.equal((await new Person(installation.server).signIn('victim@example.com', PASSWORD)).status, 401)
    assert.equal((await installation.server.client(key).get('/monitors')).status, 401)
    const { body } = await victim.person().get('/me/security')
    assert.deepEqual([body.hasPassword, body.totp], [false, null])
    assert.equal((await victim.person().get('/me')).body.user.emailVerified, true)
  })
})

forEachEngine('a new user', (engine) => {
  const installation = useProvider(engine, { PHAROS_OIDC_SIGNUP: 'member' })

  test('with a verified address joins the first organization with the configured role', async () => {
    installation.provider.behaviour.claims = {
      sub: 'new',
      email: 'New@Example.com',
      email_verified: true,
      name: ' Grace\nH ',
    }
    const browser = new OidcBrowser(installation.server)
    assert.equal(await browser.signIn(), '/')
    const { body } = await browser.person().get('/me')
    assert.deepEqual([body.user.email, body.user.name, body.user.hasPassword], ['New@example.com', 'Grace H', false])
    assert.deepEqual([body.organizations.length, body.organizations[0].role], [1, 'MEMBER'])
    const log = await actionsOf(installation.owner)
    assert.ok(log.includes('signUpWithOidc'), `${log}`)
    installation.provider.behaviour.claims = { sub: 'other', email: 'other@example.com', email_verified: false }
    assert.equal(await new OidcBrowser(installation.server).signIn(), '/sign-in?problem=oidc_unverified')
  })

  test('is created once for parallel sign-ins', async () => {
    installation.provider.behaviour.claims = { sub: 'many', email: 'many@example.com', email_verified: true }
    const browsers = Array.from({ length: 4 }, () => new OidcBrowser(installation.server))
    const ends = await Promise.all(browsers.map((browser) => browser.signIn()))
    assert.deepEqual(ends, ['/', '/', '/', '/'])
    const ids = await Promise.all(browsers.map(async (browser) => (await browser.person().get('/me')).body.user.id))
    assert.equal(new Set(ids).size, 1)
  })

  test('is refused before the setup link was used', async () => {
    const env = { PHAROS_ROLES: 'api', ...oidcSettings(installation.provider.issuer), PHAROS_OIDC_SIGNUP: 'admin' }
    await using server = await startTestServer(engine, { env })
    assert.equal(await new OidcBrowser(server).signIn(), '/sign-in?problem=oidc_unknown')
    await claim(server)
  })
})

forEachEngine('an OIDC provider', (engine) => {
  test('that is unreachable does not prevent the start, is reported at sign-in, and works once it is back', async () => {
    await using provider = await startOidcProvider()
    provider.behaviour.isUnreachable = true
    await using server = await startTestServer(engine, {
      env: { PHAROS_ROLES: 'api', ...oidcSettings(provider.issuer) },
    })
    await claim(server)
    assert.equal(provider.discoveries, 0, 'discovery is lazy')
    assert.deepEqual((await new Person(server).get('/about')).body.oidc, { name: new URL(provider.issuer).host })
    const { location } = await new OidcBrowser(server).request('/app/api/oidc/start')
    assert.equal(location, '/sign-in?problem=oidc_away')
    provider.behaviour.isUnreachable = false
    assert.equal(await new OidcBrowser(server).signIn(), '/')
    assert.equal(await new OidcBrowser(server).signIn(), '/')
    assert.equal(provider.discoveries, 1)
  })

  test('gets a Secure cookie if the public address is https', async () => {
    await using provider = await startOidcProvider()
    const base = { PHAROS_BASE_URL: 'https://pharos.example.com/watch' }
    const env = { PHAROS_ROLES: 'api', ...oidcSettings(provider.issuer), ...base }
    await using server = await startTestServer(engine, { env })
    const { location, setCookies } = await new OidcBrowser(server).request('/app/api/oidc/start')
    const back = new URL(location).searchParams.get('redirect_uri')
    assert.equal(back, 'https://pharos.example.com/watch/app/api/oidc/callback')
    assert.match(setCookies[0] ?? '', /^__Secure-pharos-oidc=[^;]+; Path=\/watch\/app\/api\/oidc; .+; Secure$/)
    const { location: refused } = await new OidcBrowser(server).request('/app/api/oidc/callback?code=x')
    assert.equal(refused, '/watch/sign-in?problem=oidc_over')
  })

  test('that is not configured is not offered', async () => {
    await using server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api' } })
    assert.equal((await new Person(server).get('/about')).body.oidc, null)
    for (const path of ['start', 'callback?code=x&state=y']) {
      const { location } = await new OidcBrowser(server).request(`/app/api/oidc/${path}`)
      assert.equal(location, '/sign-in?problem=oidc_off')
    }
  })
})
