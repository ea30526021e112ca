import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openSession } from '../../../src/accounts/sessions/queries.ts'
import { createUser } from '../../../src/accounts/users/queries.ts'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { OWNER, PASSWORD, Person, useInstallation } from '../../support/person.ts'
import {
  AuthenticatorApp,
  addSecondFactor,
  clearAttemptLimits,
  type SecondFactor,
  signInForChallenge,
} from '../../support/second-factor.ts'
import { actionsOf } from '../audit-log.ts'

forEachEngine('an authenticator app', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock })

  test('is not required at sign-in until a code has confirmed it', async () => {
    const { owner } = installation
    assert.equal((await owner.post('/me/totp/confirm', { code: '123456' })).status, 409, 'there is none')
    const { body } = await owner.post('/me/totp', { password: PASSWORD })
    assert.match(body.secret, /^[A-Z2-7]{32}$/)
    const { protocol, searchParams, pathname } = new URL(body.uri)
    assert.deepEqual([protocol, searchParams.get('secret')], ['otpauth:', body.secret])
    assert.ok(decodeURIComponent(pathname).endsWith(`:${OWNER}`))
    assert.equal((await owner.get('/me/security')).body.totp, null)
    assert.ok((await new Person(installation.server).signIn(OWNER)).body.userId)
    const wrong = await owner.post('/me/totp/confirm', { code: new AuthenticatorApp(body.secret, clock).wrong() })
    assert.deepEqual([wrong.status, wrong.body.error.details[0].path], [400, 'code'])
    assert.equal((await owner.get('/me/security')).body.totp, null)
  })

  test('can be set up again until then, which invalidates the earlier secret', async () => {
    const { owner } = installation
    const [old, fresh] = [await owner.post('/me/totp', {}), await owner.post('/me/totp')]
    assert.notEqual(old.body.secret, fresh.body.secret)
    const confirm = ({ body }: typeof old) =>
      owner.post('/me/totp/confirm', { code: new AuthenticatorApp(body.secret, clock).code() })
    assert.equal((await confirm(old)).status, 400)
    const other = await installation.signInOwner()
    const done = await confirm(fresh)
    assert.equal(done.status, 200)
    assert.equal(new Set(done.body.recoveryCodes).size, 10)
    const { body } = await owner.get('/me/security')
    assert.deepEqual(body, {
      hasPassword: true,
      totp: { confirmedAt: new Date(clock.now()).toISOString() },
      recoveryCodesLeft: 10,
      passkeys: [],
    })
    assert.equal((await other.get('/me')).status, 200, 'other sessions go on')
    assert.equal((await owner.post('/me/totp', { password: PASSWORD })).status, 409)
    assert.equal((await owner.post('/me/totp/confirm', { code: '123456' })).status, 409)
    const again = new AuthenticatorApp(fresh.body.secret, clock)
    const challenge = await signInForChallenge(new Person(installation.server), OWNER)
    const reused = await new Person(installation.server).post('/sign-in/totp', { challenge, code: again.code() })
    assert.equal(reused.status, 401, 'the code that confirmed it is used')
  })

  test('is removed with the password, together with its recovery codes, and is in the audit log', async () => {
    const { owner } = installation
    const removed = await owner.post('/me/totp/remove', { password: PASSWORD })
    assert.equal(removed.status, 200)
    assert.deepEqual([removed.body.totp, removed.body.recoveryCodesLeft], [null, 0])
    assert.ok((await new Person(installation.server).signIn(OWNER)).body.userId)
    assert.equal((await owner.post('/me/recovery-codes', { password: PASSWORD })).status, 409)
    const actions = await actionsOf(owner)
    assert.ok(actions.includes('confirmTotp') && actions.includes('removeTotp'), `${actions}`)
  })
})

forEachEngine('changing sign-in methods', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock })
  let factor: SecondFactor
  before(async () => {
    factor = await addSecondFactor(installation.owner, clock)
  })

  const signInWithCode = async (): Promise<Person> => {
    const person = new Person(installation.server)
    const challenge = await signInForChallenge(person, OWNER)
    assert.equal((await person.post('/sign-in/totp', { challenge, code: factor.app.next() })).status, 200)
    return person
  }

  test('needs the password to remove a factor, however new the session is', async () => {
    const person = await signInWithCode()
    for (const path of ['/me/totp/remove', '/me/recovery-codes']) {
      for (const body of [undefined, {}]) {
        const { status, body: answer } = await person.post(path, body)
        assert.deepEqual([status, answer.error.details[0].path], [400, 'password'], path)
      }
      const wrong = await person.post(path, { password: 'not the password' })
      assert.deepEqual([wrong.status, wrong.body.error.message], [400, 'password is wrong'])
    }
    const changed = await person.post('/me/password', { newPassword: PASSWORD })
    assert.deepEqual([changed.status, changed.body.error.details[0].path], [400, 'currentPassword'])
    await clearAttemptLimits(installation.server)
    const fresh = await person.post('/me/recovery-codes', { password: PASSWORD })
    assert.equal(fresh.body.recoveryCodes.length, 10)
    const challenge = await signInForChallenge(new Person(installation.server), OWNER)
    const old = { challenge, code: factor.recoveryCodes[0] }
    assert.equal((await new Person(installation.server).post('/sign-in/recovery-code', old)).status, 401)
    const now = { challenge, code: fresh.body.recoveryCodes[0] }
    assert.equal((await new Person(installation.server).post('/sign-in/recovery-code', now)).status, 200)
  })

  test('needs the password or a sign-in within ten minutes to add a factor', async () => {
    const person = await signInWithCode()
    assert.equal((await person.post('/me/passkeys/options', {})).status, 200)
    clock.advance(10 * MINUTE_MS - 1)
    assert.equal((await person.post('/me/passkeys/options')).status, 200)
    clock.advance(1)
    for (const path of ['/me/passkeys/options', '/me/totp']) {
      const late = await person.post(path, {})
      assert.deepEqual([late.status, late.body.error.code], [403, 'forbidden'])
      assert.match(late.body.error.message, /Enter your password, or sign out and sign in again/)
      assert.equal((await person.post(path, { password: 'not the password' })).status, 400)
    }
    assert.equal((await person.post('/me/passkeys/options', { password: PASSWORD })).status, 200)
    assert.equal((await person.post('/me/totp', { password: PASSWORD })).status, 409, 'there is one')
  })

  test('limits password attempts like the sign-in', async () => {
    await clearAttemptLimits(installation.server)
    const person = await signInWithCode()
    const answers: number[] = []
    for (let i = 0; i < 6; i += 1) {
      answers.push((await person.post('/me/totp/remove', { password: `guess ${i}` })).status)
    }
    assert.deepEqual(answers, [400, 400, 400, 400, 400, 429])
    await clearAttemptLimits(installation.server)
  })

  test('ends pending challenges when the password changes', async () => {
    const person = await signInWithCode()
    const challenge = await signInForChallenge(new Person(installation.server), OWNER)
    const change = { currentPassword: PASSWORD, newPassword: PASSWORD }
    assert.equal((await person.post('/me/password', change)).status, 200)
    const late = await new Person(installation.server).post('/sign-in/totp', { challenge, code: factor.app.next() })
    assert.equal(late.status, 404)
  })
})

forEachEngine('a user without a password', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock })

  test('needs a sign-in within ten minutes instead, and can set a password', async () => {
    const email = 'nopassword@example.com'
    const token = await installation.server.running.database.write(function* () {
      const user = yield* createUser({ email, passwordHash: null, emailVerifiedAt: 1 }, clock.now())
      const client = { address: '192.0.2.1', userAgent: null, knownBrowsers: () => [] }
      return yield* openSession(user?.id as string, client, clock.now())
    })
    const person = new Person(installation.server)
    person.cookie = `pharos=${token}`
    const begun = await person.post('/me/totp', { password: 'whatever' })
    assert.equal(begun.status, 200)
    const app = new AuthenticatorApp(begun.body.secret, clock)
    assert.equal((await person.post('/me/totp/confirm', { code: app.code() })).status, 200)
    assert.equal((await person.post('/me/totp/remove')).status, 200)
    assert.equal((await person.get('/me/security')).body.hasPassword, false)
    clock.advance(10 * MINUTE_MS)
    for (const [path, body] of [
      ['/me/totp', {}],
      ['/me/totp/remove', {}],
      ['/me/recovery-codes', { password: 'whatever' }],
      ['/me/password', { newPassword: PASSWORD }],
    ] as const) {
      const late = await person.post(path, body)
      assert.deepEqual([late.status, late.body.error.code], [403, 'forbidden'], path)
      assert.match(late.body.error.message, /^Sign out and sign in again/)
    }
    clock.advance(-MINUTE_MS)
    assert.equal((await person.post('/me/password', { newPassword: PASSWORD })).status, 200)
    assert.equal((await person.get('/me/security')).body.hasPassword, true)
    assert.equal((await new Person(installation.server).signIn(email)).status, 200)
  })
})
