import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { OWNER, Person, useInstallation } from '../../support/person.ts'
import {
  addSecondFactor,
  clearAttemptLimits,
  type SecondFactor,
  signInForChallenge,
} from '../../support/second-factor.ts'

forEachEngine('signing in with an authenticator app', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock })
  let factor: SecondFactor
  before(async () => {
    factor = await addSecondFactor(installation.owner, clock)
  })
  beforeEach(() => clearAttemptLimits(installation.server))
  const someone = (): Person => new Person(installation.server)

  test('needs password and code, and opens no session before the code', async () => {
    const person = someone()
    const { body } = await person.signIn(OWNER)
    assert.deepEqual([body.userId, body.challenge.methods], [null, ['TOTP', 'RECOVERY_CODE']])
    assert.equal(person.cookie, undefined)
    assert.equal((await person.get('/me')).status, 401)
    const { token: challenge } = body.challenge
    const done = await person.post('/sign-in/totp', { challenge, code: factor.app.next() })
    assert.equal(done.status, 200)
    assert.equal(done.body.userId, (await person.get('/me')).body.user.id)
    assert.equal(done.body.challenge, undefined)
  })

  test('does not reveal the second factor without the password', async () => {
    const { status, body } = await someone().signIn(OWNER, 'not the password')
    assert.deepEqual([status, body.error.message], [401, 'Wrong e-mail address or password'])
  })

  test('replaces the session once the code is right, and not before', async () => {
    const person = someone()
    await person.post('/sign-in/totp', { challenge: await signInForChallenge(person, OWNER), code: factor.app.next() })
    const planted = person.cookie as string
    const challenge = await signInForChallenge(person, OWNER)
    assert.equal(person.cookie, planted)
    assert.equal((await person.get('/me')).status, 200, 'the session goes on until there is another')
    assert.equal((await person.post('/sign-in/totp', { challenge, code: factor.app.next() })).status, 200)
    assert.notEqual(person.cookie, planted)
    const attacker = someone()
    attacker.cookie = planted
    assert.equal((await attacker.get('/me')).status, 401)
  })

  test('accepts a code once, and no earlier codes after it', async () => {
    const [first, second] = [await signInForChallenge(someone(), OWNER), await signInForChallenge(someone(), OWNER)]
    const code = factor.app.next()
    assert.equal((await someone().post('/sign-in/totp', { challenge: first, code })).status, 200)
    const again = await someone().post('/sign-in/totp', { challenge: second, code })
    assert.deepEqual([again.status, again.body.error.code], [401, 'unauthorized'])
    const earlier = await someone().post('/sign-in/totp', { challenge: second, code: factor.app.code(-1) })
    assert.equal(earlier.status, 401)
    const later = factor.app.code(1)
    assert.equal((await someone().post('/sign-in/totp', { challenge: second, code: later })).status, 200)
  })

  test('accepts a code once among parallel requests', async () => {
    clock.advance(MINUTE_MS)
    const challenges: string[] = []
    for (let i = 0; i < 4; i += 1) challenges.push(await signInForChallenge(someone(), OWNER))
    await clearAttemptLimits(installation.server)
    const code = factor.app.next()
    const answers = await Promise.all(
      challenges.map((challenge) => someone().post('/sign-in/totp', { challenge, code })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401])
  })

  test('accepts a clock drift of one step, and spaces in the code', async () => {
    clock.advance(2 * MINUTE_MS)
    const challenge = await signInForChallenge(someone(), OWNER)
    for (const drift of [-2, 2]) {
      const far = { challenge, code: factor.app.code(drift) }
      assert.equal((await someone().post('/sign-in/totp', far)).status, 401, `${drift}`)
    }
    const code = factor.app.code(-1).replace(/^.../, '$& ')
    assert.equal((await someone().post('/sign-in/totp', { challenge, code })).status, 200)
  })
})
