import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { claim, joinByInvitation, OWNER, PASSWORD, useInstallation } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'
import { actionsOf } from '../audit-log.ts'
import { Authenticator, addPasskey, bareCredential, originOf } from '../authenticator.ts'

forEachEngine('adding a passkey', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock })
  const created = (): Authenticator => new Authenticator({ origin: originOf(installation) })
  const start = () => installation.owner.post('/me/passkeys/options', { password: PASSWORD })
  const add = (token: string, response: unknown) =>
    installation.owner.post('/me/passkeys', { token, name: 'A', response })
  const refused = async (authenticator: Authenticator, why: string): Promise<void> => {
    const { status, body } = await addPasskey(installation.owner, authenticator)
    assert.deepEqual([status, body.error.code], [409, 'conflict'], why)
  }

  test('requires a discoverable credential and user verification', async () => {
    const { authenticatorSelection, rp, user } = (await start()).body.options
    const { residentKey, userVerification } = authenticatorSelection
    assert.deepEqual([residentKey, userVerification], ['required', 'required'])
    assert.deepEqual([rp.id, user.name], ['localhost', OWNER])
  })

  test('stores it with a name; it can be renamed and removed by its owner', async () => {
    const { owner } = installation
    const { status, body } = await addPasskey(owner, created())
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual([body.name, body.lastUsedAt], ['Laptop', null])
    const { excludeCredentials } = (await start()).body.options
    assert.equal(excludeCredentials.length, 1, 'the browser does not make a second for the same device')
    const renamed = await owner.post(`/me/passkeys/${body.id}/rename`, { name: ' Old laptop ' })
    assert.equal(renamed.body.name, 'Old laptop')
    assert.deepEqual((await owner.get('/me/security')).body.passkeys, [{ ...body, name: 'Old laptop' }])
    const other = await joinByInvitation(installation, 'other@example.com', 'ADMIN')
    assert.equal((await other.post(`/me/passkeys/${body.id}/rename`, { name: 'Mine' })).status, 404)
    assert.equal((await other.delete(`/me/passkeys/${body.id}`)).status, 404)
    assert.deepEqual((await owner.delete(`/me/passkeys/${body.id}`)).body, { data: { id: body.id } })
    assert.equal((await owner.delete(`/me/passkeys/${body.id}`)).status, 404)
    const log = await actionsOf(owner)
    assert.ok(log.includes('addPasskey') && log.includes('deletePasskey'), `${log}`)
  })

  test('refuses another origin, another host, and no user verification', async () => {
    await refused(new Authenticator({ origin: 'http://evil.example', rpId: 'localhost' }), 'another origin')
    await refused(new Authenticator({ origin: originOf(installation), rpId: 'evil.example' }), 'another host')
    await refused(new Authenticator({ origin: originOf(installation), verifies: false }), 'no user verification')
  })

  test('accepts a response once, within five minutes, from the same user', async () => {
    const { token, options } = (await start()).body
    const response = created().create(options)
    const other = await joinByInvitation(installation, 'thief@example.com', 'ADMIN')
    assert.equal((await other.post('/me/passkeys', { token, name: 'A', response })).status, 404)
    assert.equal((await add(token, response)).status, 201)
    assert.equal((await add(token, response)).status, 404)
    const late = (await start()).body
    clock.advance(5 * MINUTE_MS)
    assert.equal((await add(late.token, created().create(late.options))).status, 404)
  })

  test('refuses a response to another challenge, a stored passkey, and malformed input', async () => {
    const [one, two] = [(await start()).body, (await start()).body]
    assert.equal((await add(two.token, created().create(one.options))).status, 409)
    const twice = created()
    assert.equal((await addPasskey(installation.owner, twice)).status, 201)
    await refused(twice, 'stored already')
    assert.equal((await add(one.token, bareCredential)).status, 409)
    assert.equal((await add('x', { id: 1 })).status, 400)
  })
})

forEachEngine('passkeys of one user', (engine) => {
  const installation = useInstallation(engine)

  test('are limited to twenty', async () => {
    const { owner } = installation
    const origin = originOf(installation)
    for (let i = 0; i < 19; i += 1) assert.equal((await addPasskey(owner, new Authenticator({ origin }))).status, 201)
    const { token, options } = (await owner.post('/me/passkeys/options', { password: PASSWORD })).body
    assert.equal((await addPasskey(owner, new Authenticator({ origin }))).status, 201)
    const response = new Authenticator({ origin }).create(options)
    assert.equal((await owner.post('/me/passkeys', { token, name: 'A', response })).status, 409)
    assert.equal((await owner.post('/me/passkeys/options', { password: PASSWORD })).status, 409)
  })
})

forEachEngine('an installation without a host name', (engine) => {
  test('refuses passkeys and names the setting', async () => {
    const env = { PHAROS_ROLES: 'api', PHAROS_BASE_URL: 'http://127.0.0.1:3000' }
    await using server = await startTestServer(engine, { env })
    const owner = await claim(server)
    for (const path of ['/me/passkeys/options', '/sign-in/passkey/options']) {
      const { status, body } = await owner.post(path, {})
      assert.equal(status, 409)
      assert.match(body.error.message, /PHAROS_BASE_URL/)
    }
  })
})
