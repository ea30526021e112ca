import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { OWNER, PASSWORD, Person, useInstallation } from '../../support/person.ts'
import { addSecondFactor, clearAttemptLimits, signInForChallenge } from '../../support/second-factor.ts'
import { Authenticator, addPasskey, originOf, signInWithPasskey } from '../authenticator.ts'

forEachEngine('signing in with a passkey', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock })
  beforeEach(() => clearAttemptLimits(installation.server))
  const someone = (): Person => new Person(installation.server)
  const mine = async (): Promise<Authenticator> => {
    const authenticator = new Authenticator({ origin: originOf(installation) })
    assert.equal((await addPasskey(installation.owner, authenticator)).status, 201)
    return authenticator
  }
  const refused = async (authenticator: Authenticator, why: string): Promise<void> => {
    const person = someone()
    const { status, body } = await signInWithPasskey(person, authenticator)
    assert.deepEqual([status, body.error.code, person.cookie], [401, 'unauthorized', undefined], why)
  }

  test('needs no user name, opens a session, and updates the last use', async () => {
    const authenticator = await mine()
    const person = someone()
    const { body } = await person.post('/sign-in/passkey/options')
    assert.deepEqual([body.options.userVerification, body.options.allowCredentials], ['required', undefined])
    const done = await signInWithPasskey(person, authenticator)
    assert.equal(done.status, 200)
    assert.equal((await person.get('/me')).body.user.email, OWNER)
    const { passkeys } = (await person.get('/me/security')).body
    assert.equal(passkeys.at(-1).lastUsedAt, new Date(clock.now()).toISOString())
  })

  test('replaces the session of the browser', async () => {
    const authenticator = await mine()
    const person = await installation.signInOwner()
    const planted = person.cookie as string
    assert.equal((await signInWithPasskey(person, authenticator)).status, 200)
    assert.notEqual(person.cookie, planted)
    const attacker = someone()
    attacker.cookie = planted
    assert.equal((await attacker.get('/me')).status, 401)
  })

  test('needs no second factor, and is among the methods of a challenge', async () => {
    const authenticator = await mine()
    const { app } = await addSecondFactor(installation.owner, clock)
    assert.deepEqual((await someone().signIn(OWNER)).body.challenge.methods, ['TOTP', 'RECOVERY_CODE', 'PASSKEY'])
    const person = someone()
    assert.equal((await signInWithPasskey(person, authenticator)).status, 200)
    assert.equal((await person.get('/me')).status, 200)
    const challenge = await signInForChallenge(someone(), OWNER)
    const { body } = await someone().post('/sign-in/passkey/options')
    const crossed = { token: challenge, response: authenticator.use(body.options) }
    assert.equal((await someone().post('/sign-in/passkey', crossed)).status, 404, 'challenges have different purposes')
    assert.equal((await someone().post('/sign-in/totp', { challenge: body.token, code: app.next() })).status, 404)
    assert.equal((await installation.owner.post('/me/totp/remove', { password: PASSWORD })).status, 200)
  })

  test('is refused for an unknown passkey, without user verification, and for another origin or host', async () => {
    await refused(new Authenticator({ origin: originOf(installation) }), 'unknown')
    const careless = await mine()
    careless.verifies = false
    await refused(careless, 'no user verification')
    const phished = await mine()
    phished.origin = 'https://evil.example'
    await refused(phished, 'another origin')
    const moved = await mine()
    moved.rpId = 'evil.example'
    await refused(moved, 'another host')
  })

  test('is refused for another user, and for another key with the same id', async () => {
    const authenticator = await mine()
    const right = authenticator.userHandle
    authenticator.userHandle = Buffer.from('usr_somebody_else').toString('base64url')
    await refused(authenticator, 'another user')
    authenticator.userHandle = undefined
    await refused(authenticator, 'no user')
    authenticator.userHandle = right
    const forger = new Authenticator({ origin: originOf(installation) })
    Object.assign(forger, { id: authenticator.id, userHandle: right })
    await refused(forger, 'another key')
    assert.equal((await signInWithPasskey(someone(), authenticator)).status, 200)
  })

  test('is refused for a copied passkey, whose counter does not grow', async () => {
    const authenticator = await mine()
    authenticator.counter = 7
    assert.equal((await signInWithPasskey(someone(), authenticator)).status, 200)
    authenticator.counter = 3
    await refused(authenticator, 'a copy')
  })

  test('accepts a response once, to its own challenge, within five minutes', async () => {
    const authenticator = await mine()
    const person = someone()
    const [one, two] = [await person.post('/sign-in/passkey/options'), await person.post('/sign-in/passkey/options')]
    const response = authenticator.use(one.body.options)
    assert.equal((await person.post('/sign-in/passkey', { token: two.body.token, response })).status, 401)
    assert.equal((await person.post('/sign-in/passkey', { token: one.body.token, response })).status, 200)
    assert.equal((await person.post('/sign-in/passkey', { token: one.body.token, response })).status, 404)
    const late = await person.post('/sign-in/passkey/options')
    clock.advance(5 * MINUTE_MS)
    const over = { token: late.body.token, response: authenticator.use(late.body.options) }
    assert.equal((await person.post('/sign-in/passkey', over)).status, 404)
  })

  test('is refused for a removed passkey', async () => {
    const authenticator = await mine()
    const { passkeys } = (await installation.owner.get('/me/security')).body
    await installation.owner.delete(`/me/passkeys/${passkeys.at(-1).id}`)
    await refused(authenticator, 'removed')
  })
})
