import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { pruneChallenges } from '../../../src/accounts/factors/challenges.ts'
import { userWithEmail } from '../../../src/accounts/users/queries.ts'
import { issueToken } from '../../../src/accounts/users/tokens.ts'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { joinByInvitation, OWNER, PASSWORD, Person, useInstallation } from '../../support/person.ts'
import {
  addSecondFactor,
  clearAttemptLimits,
  type SecondFactor,
  signInForChallenge,
} from '../../support/second-factor.ts'
import { bareCredential } from '../authenticator.ts'

forEachEngine('a second-factor challenge', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock })
  let factor: SecondFactor
  before(async () => {
    factor = await addSecondFactor(installation.owner, clock)
  })
  beforeEach(() => clearAttemptLimits(installation.server))
  const someone = (): Person => new Person(installation.server)

  test('ends after five minutes, after five wrong codes, and after its use', async () => {
    const late = await signInForChallenge(someone(), OWNER)
    clock.advance(5 * MINUTE_MS)
    const over = await someone().post('/sign-in/totp', { challenge: late, code: factor.app.next() })
    assert.deepEqual([over.status, over.body.error.code], [404, 'not_found'])
    assert.match(over.body.error.message, /Sign in again/)

    const guessed = await signInForChallenge(someone(), OWNER)
    for (let i = 0; i < 5; i += 1) {
      await clearAttemptLimits(installation.server)
      const { status } = await someone().post('/sign-in/totp', { challenge: guessed, code: factor.app.wrong() })
      assert.equal(status, 401)
    }
    await clearAttemptLimits(installation.server)
    assert.equal((await someone().post('/sign-in/totp', { challenge: guessed, code: factor.app.next() })).status, 404)

    const used = await signInForChallenge(someone(), OWNER)
    assert.equal((await someone().post('/sign-in/totp', { challenge: used, code: factor.app.next() })).status, 200)
    assert.equal((await someone().post('/sign-in/totp', { challenge: used, code: factor.app.next() })).status, 404)
    assert.equal((await someone().post('/sign-in/totp', { challenge: 'nonsense', code: '000000' })).status, 404)
  })

  test('is deleted once it has expired', async () => {
    const { database } = installation.server.running
    await signInForChallenge(someone(), OWNER)
    const left = async (): Promise<number> =>
      (await database.read(execute(q.selectFrom('challenges').selectAll()))).length
    await database.write(() => pruneChallenges(clock.now() + 5 * MINUTE_MS - 1, 100))
    assert.ok((await left()) > 0, 'not before')
    await database.write(() => pruneChallenges(clock.now() + 5 * MINUTE_MS, 100))
    assert.equal(await left(), 0)
  })

  test('cannot be used as a session or as a link token', async () => {
    const challenge = await signInForChallenge(someone(), OWNER)
    const person = someone()
    person.cookie = `pharos=${challenge}`
    assert.equal((await person.get('/me')).status, 401)
    assert.equal((await someone().post('/password-reset', { token: challenge, password: PASSWORD })).status, 404)
    const passkey = { token: challenge, name: 'A', response: bareCredential }
    assert.equal((await installation.owner.post('/me/passkeys', passkey)).status, 404)
  })

  test('does not accept the code of another user', async () => {
    const mallory = await joinByInvitation(installation, 'mallory@example.com', 'VIEWER')
    const hers = await addSecondFactor(mallory, clock)
    const challenge = await signInForChallenge(someone(), OWNER)
    assert.equal((await someone().post('/sign-in/totp', { challenge, code: hers.app.next() })).status, 401)
    const [code] = hers.recoveryCodes
    assert.equal((await someone().post('/sign-in/recovery-code', { challenge, code })).status, 401)
  })

  test('accepts a recovery code once, in any spelling', async () => {
    const [first, second] = factor.recoveryCodes as [string, string]
    const person = someone()
    const challenge = await signInForChallenge(person, OWNER)
    assert.equal((await person.post('/sign-in/recovery-code', { challenge, code: first })).status, 200)
    assert.equal((await person.get('/me/security')).body.recoveryCodesLeft, 9)
    const again = await signInForChallenge(someone(), OWNER)
    const used = await someone().post('/sign-in/recovery-code', { challenge: again, code: first })
    assert.equal(used.status, 401)
    const typed = ` ${second.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')}`
    assert.equal((await someone().post('/sign-in/recovery-code', { challenge: again, code: typed })).status, 200)
    assert.equal((await person.get('/me/security')).body.recoveryCodesLeft, 8)
  })

  test('leaves no plain secrets in the database', async () => {
    const { database } = installation.server.running
    const challenge = await signInForChallenge(someone(), OWNER)
    const begun = await (await joinByInvitation(installation, 'pending@example.com', 'VIEWER')).post('/me/totp', {})
    const kept = JSON.stringify([
      await database.read(execute(q.selectFrom('challenges').selectAll())),
      await database.read(execute(q.selectFrom('totp_secrets').selectAll())),
      await database.read(execute(q.selectFrom('recovery_codes').selectAll())),
    ])
    const plain = factor.recoveryCodes.map((code) => code.replaceAll('-', ''))
    for (const secret of [challenge, begun.body.secret, ...factor.recoveryCodes, ...plain]) {
      assert.ok(!kept.includes(secret), secret)
    }
    assert.ok(plain.every((code) => code.length === 12))
  })

  test('follows a password reset by mail, too', async () => {
    const { database } = installation.server.running
    const user = await database.read(userWithEmail(OWNER))
    const whose = { purpose: 'RESET_PASSWORD', userId: user?.id as string } as const
    const open = await signInForChallenge(someone(), OWNER)
    const token = await database.write(() => issueToken(whose, clock.now(), MINUTE_MS))
    const person = someone()
    const { status, body } = await person.post('/password-reset', { token, password: PASSWORD })
    assert.deepEqual([status, body.userId, person.cookie], [200, null, undefined])
    assert.equal((await person.get('/me')).status, 401)
    const old = await someone().post('/sign-in/totp', { challenge: open, code: factor.app.next() })
    assert.equal(old.status, 404, 'a challenge from before the reset has ended')
    const { token: challenge } = body.challenge
    assert.equal((await person.post('/sign-in/totp', { challenge, code: factor.app.next() })).status, 200)
    assert.equal((await person.get('/me')).status, 200)
  })
})

forEachEngine('guessing codes', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock, env: { PHAROS_TRUST_PROXY: '127.0.0.1' } })
  let factor: SecondFactor
  before(async () => {
    factor = await addSecondFactor(installation.owner, clock)
  })
  let addresses = 0
  const from = (): Person => new Person(installation.server, { 'x-forwarded-for': `203.0.113.${++addresses}` })

  test('is delayed like guessing passwords, also with a new sign-in before each guess', async () => {
    const answers: number[] = []
    // The right password before each guess must not reset the count of the account.
    for (let i = 0; i < 6; i += 1) {
      const { status, body } = await from().signIn(OWNER)
      answers.push(status)
      if (status !== 200) break
      const { token: challenge } = body.challenge
      answers.push((await from().post('/sign-in/totp', { challenge, code: factor.app.wrong() })).status)
    }
    assert.deepEqual(answers, [...Array.from({ length: 5 }, () => [200, 401]).flat(), 429])
  })

  test('slows to one guess an hour', async () => {
    const waits: number[] = []
    let guesses = 0
    for (let i = 0; i < 60 && guesses < 13; i += 1) {
      let answer = await from().signIn(OWNER)
      if (answer.status === 200) {
        const guess = { challenge: answer.body.challenge.token, code: factor.app.wrong() }
        answer = await from().post(i % 2 ? '/sign-in/recovery-code' : '/sign-in/totp', guess)
      }
      const waitSeconds = Number(answer.headers.get('retry-after') ?? 0)
      clock.advance(waitSeconds * 1000)
      if (answer.status === 429) waits.push(waitSeconds)
      else guesses += 1
    }
    assert.equal(guesses, 13)
    assert.ok(Math.max(...waits) > 50 * 60, `${waits}`)
  })

  test('is counted from zero again after a right code', async () => {
    clock.advance(60 * MINUTE_MS)
    const challenge = await signInForChallenge(from(), OWNER)
    assert.equal((await from().post('/sign-in/totp', { challenge, code: factor.app.next() })).status, 200)
    for (let i = 0; i < 5; i += 1) {
      const next = await signInForChallenge(from(), OWNER)
      assert.equal((await from().post('/sign-in/totp', { challenge: next, code: factor.app.wrong() })).status, 401)
    }
  })
})
