import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pruneChallenges } from '../../src/accounts/factors/challenges.ts'
import { MINUTE_MS } from '../../src/lib/clock.ts'
import { execute, q } from '../../src/storage/query.ts'
import { Authenticator, addPasskey, originOf } from '../accounts/authenticator.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { OWNER, Person, useInstallation } from '../support/person.ts'
import { addSecondFactor } from '../support/second-factor.ts'

const CALLS = 1_000
/** Below the limit of requests per minute of one address. */
const CALLS_PER_ADDRESS = 250

forEachEngine('passkey challenges', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock, env: { PHAROS_TRUST_PROXY: '127.0.0.1' } })
  const someone = (address = '192.0.2.1'): Person => new Person(installation.server, { 'x-forwarded-for': address })
  const storedChallenges = async (): Promise<number> =>
    (await installation.server.running.database.read(execute(q.selectFrom('challenges').select('hash')))).length
  /** A passkey that always reports the counter 0, as many do: only the challenge prevents a replay. */
  const passkeyWithoutCounter = async (): Promise<Authenticator> => {
    const authenticator = new Authenticator({ origin: originOf(installation) })
    assert.equal((await addPasskey(installation.owner, authenticator)).status, 201)
    return authenticator
  }
  const answerTo = (authenticator: Authenticator, body: { token: string; options: { challenge: string } }) => {
    authenticator.counter = -1
    return { token: body.token, response: authenticator.use(body.options) }
  }

  test('1,000 requests for sign-in options store nothing', async () => {
    const before = await storedChallenges()
    const challenges = new Set<string>()
    for (let i = 0; i < CALLS; i += 1) {
      const { status, body } = await someone(`192.0.2.${10 + Math.floor(i / CALLS_PER_ADDRESS)}`).post(
        '/sign-in/passkey/options',
      )
      assert.equal(status, 200)
      challenges.add(body.options.challenge)
    }
    assert.equal(challenges.size, CALLS)
    assert.equal(await storedChallenges(), before)
  })

  test('1,000 requests for options to add a passkey store nothing', async () => {
    const person = await installation.signInOwner({ 'x-forwarded-for': '192.0.2.20' })
    const before = await storedChallenges()
    for (let i = 0; i < CALLS; i += 1) assert.equal((await person.post('/me/passkeys/options')).status, 200)
    assert.equal(await storedChallenges(), before)
  })

  test('failed uses store nothing, a successful use one row, which is deleted later', async () => {
    clock.advance(MINUTE_MS)
    const authenticator = await passkeyWithoutCounter()
    const { database } = installation.server.running
    clock.advance(30 * MINUTE_MS)
    await database.write(() => pruneChallenges(clock.now(), 1_000))
    assert.equal(await storedChallenges(), 0)
    const { body } = await someone().post('/sign-in/passkey/options')
    const stranger = new Authenticator({ origin: originOf(installation) })
    assert.equal((await someone().post('/sign-in/passkey', answerTo(stranger, body))).status, 401)
    assert.equal((await someone().post('/sign-in/passkey', { ...answerTo(stranger, body), token: 'x.y' })).status, 404)
    assert.equal(await storedChallenges(), 0)
    assert.equal((await someone().post('/sign-in/passkey', answerTo(authenticator, body))).status, 200)
    assert.equal(await storedChallenges(), 1)
    clock.advance(5 * MINUTE_MS)
    await database.write(() => pruneChallenges(clock.now(), 1_000))
    assert.equal(await storedChallenges(), 1, 'nodes whose clock is behind still need it')
    clock.advance(5 * MINUTE_MS)
    await database.write(() => pruneChallenges(clock.now(), 1_000))
    assert.equal(await storedChallenges(), 0)
  })

  test('a response cannot be replayed, also with another spelling of its token', async () => {
    const authenticator = await passkeyWithoutCounter()
    const { body } = await someone().post('/sign-in/passkey/options')
    const used = answerTo(authenticator, body)
    assert.equal((await someone().post('/sign-in/passkey', used)).status, 200)
    const { token } = used
    const spellings = [
      token,
      `${token}=`,
      `${token.slice(0, 20)} ${token.slice(20)}`,
      token.replaceAll('+', '-').replaceAll('/', '_'),
    ]
    for (const spelling of spellings) {
      const replay = await someone().post('/sign-in/passkey', { ...used, token: spelling })
      assert.equal(replay.status, 404, spelling)
    }
  })

  test('one of ten parallel uses of a response succeeds', async () => {
    const authenticator = await passkeyWithoutCounter()
    const { body } = await someone().post('/sign-in/passkey/options')
    const form = answerTo(authenticator, body)
    const answers = await Promise.all(Array.from({ length: 10 }, () => someone().post('/sign-in/passkey', form)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  test('a challenge to add a passkey belongs to one session and password', async () => {
    const [one, two] = [await installation.signInOwner(), await installation.signInOwner()]
    const { body } = await one.post('/me/passkeys/options')
    const response = new Authenticator({ origin: originOf(installation) }).create(body.options)
    const form = { token: body.token, name: 'A', response }
    assert.equal((await two.post('/me/passkeys', form)).status, 404, 'another session')
    assert.equal((await someone().post('/sign-in/passkey', form as never)).status, 400, 'another operation')
    const password = 'another horse battery'
    assert.equal(
      (await one.post('/me/password', { currentPassword: 'correct horse battery', newPassword: password })).status,
      200,
    )
    assert.equal((await one.post('/me/passkeys', form)).status, 404, 'another password')
    assert.equal(
      (await one.post('/me/password', { currentPassword: password, newPassword: 'correct horse battery' })).status,
      200,
    )
  })
})

forEachEngine('challenges for the second factor', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock })

  test('are limited to 20 per user', async () => {
    await addSecondFactor(installation.owner, clock)
    for (let i = 0; i < 30; i += 1) assert.equal((await new Person(installation.server).signIn(OWNER)).status, 200)
    const { database } = installation.server.running
    assert.equal((await database.read(execute(q.selectFrom('challenges').select('hash')))).length, 20)
  })
})
