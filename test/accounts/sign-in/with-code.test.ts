import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { OWNER, Person, useHouse } from '../../support/person.ts'
import {
  addSecondFactor,
  clearAttemptLimits,
  type SecondFactor,
  signInForChallenge,
} from '../../support/second-factor.ts'

forEachEngine('signing in with an authenticator app', (engine) => {
  const clock = new HandClock()
  const house = useHouse(engine, { clock })
  let guarded: SecondFactor
  before(async () => {
    guarded = await addSecondFactor(house.owner, clock)
  })
  beforeEach(() => clearAttemptLimits(house.server))
  const someone = (): Person => new Person(house.server)

  test('takes password and code, and opens no session before the code', async () => {
    const person = someone()
    const { body } = await person.signIn(OWNER)
    assert.deepEqual([body.userId, body.challenge.methods], [null, ['TOTP', 'RECOVERY_CODE']])
    assert.equal(person.cookie, undefined)
    assert.equal((await person.get('/me')).status, 401)
    const { token: challenge } = body.challenge
    const done = await person.post('/sign-in/totp', { challenge, code: guarded.app.next() })
    assert.equal(done.status, 200)
    assert.equal(done.body.userId, (await person.get('/me')).body.user.id)
    assert.equal(done.body.challenge, undefined)
  })

  test('says nothing of the second factor to whoever does not know the password', async () => {
    const { status, body } = await someone().signIn(OWNER, 'not the password')
    assert.deepEqual([status, body.error.message], [401, 'The e-mail address or the password is not right'])
  })

  test('gives the browser a new token when the code was right, and not before', async () => {
    const person = someone()
    await person.post('/sign-in/totp', { challenge: await signInForChallenge(person, OWNER), code: guarded.app.next() })
    const planted = person.cookie as string
    const challenge = await signInForChallenge(person, OWNER)
    assert.equal(person.cookie, planted)
    assert.equal((await person.get('/me')).status, 200, 'the session goes on until there is another')
    assert.equal((await person.post('/sign-in/totp', { challenge, code: guarded.app.next() })).status, 200)
    assert.notEqual(person.cookie, planted)
    const attacker = someone()
    attacker.cookie = planted
    assert.equal((await attacker.get('/me')).status, 401)
  })

  test('takes a code once, and none from before it', async () => {
    const [first, second] = [await signInForChallenge(someone(), OWNER), await signInForChallenge(someone(), OWNER)]
    const code = guarded.app.next()
    assert.equal((await someone().post('/sign-in/totp', { challenge: first, code })).status, 200)
    const again = await someone().post('/sign-in/totp', { challenge: second, code })
    assert.deepEqual([again.status, again.body.error.code], [401, 'unauthorized'])
    const earlier = await someone().post('/sign-in/totp', { challenge: second, code: guarded.app.code(-1) })
    assert.equal(earlier.status, 401)
    const later = guarded.app.code(1)
    assert.equal((await someone().post('/sign-in/totp', { challenge: second, code: later })).status, 200)
  })

  test('takes a code once of many that come at the same time', async () => {
    clock.advance(MINUTE_MS)
    const challenges: string[] = []
    for (let i = 0; i < 4; i += 1) challenges.push(await signInForChallenge(someone(), OWNER))
    await clearAttemptLimits(house.server)
    const code = guarded.app.next()
    const answers = await Promise.all(
      challenges.map((challenge) => someone().post('/sign-in/totp', { challenge, code })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401])
  })

  test('takes a clock that is half a minute off, blanks in the code, and no more', async () => {
    clock.advance(2 * MINUTE_MS)
    const challenge = await signInForChallenge(someone(), OWNER)
    for (const drift of [-2, 2]) {
      const far = { challenge, code: guarded.app.code(drift) }
      assert.equal((await someone().post('/sign-in/totp', far)).status, 401, `${drift}`)
    }
    const code = guarded.app.code(-1).replace(/^.../, '$& ')
    assert.equal((await someone().post('/sign-in/totp', { challenge, code })).status, 200)
  })
})
