import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { claim, type House, join, OWNER, PASSWORD, Person, useHouse } from '../../support/person.ts'
import { addSecondFactor, clearAttemptLimits, signInForChallenge } from '../../support/second-factor.ts'
import { type Answer, startTestServer } from '../../support/server.ts'
import { Authenticator } from '../authenticator.ts'

/** What people have in their address bar; passkeys are made for a name. */
function originOf({ server }: House): string {
  return server.url.replace('127.0.0.1', 'localhost')
}

async function add(person: Person, authenticator: Authenticator, name = 'Laptop'): Promise<Answer> {
  const { status, body } = await person.post('/me/passkeys/options', { password: PASSWORD })
  assert.equal(status, 200, JSON.stringify(body))
  return person.post('/me/passkeys', { token: body.token, name, response: authenticator.create(body.options) })
}

async function enter(person: Person, authenticator: Authenticator): Promise<Answer> {
  const { body } = await person.post('/sign-in/passkey/options', {})
  return person.post('/sign-in/passkey', { token: body.token, response: authenticator.use(body.options) })
}

forEachEngine('adding a passkey', (engine) => {
  const clock = new HandClock()
  const house = useHouse(engine, { clock })
  const made = (): Authenticator => new Authenticator({ origin: originOf(house) })
  const refused = async (authenticator: Authenticator, why: string): Promise<void> => {
    const { status, body } = await add(house.owner, authenticator)
    assert.deepEqual([status, body.error.code], [409, 'conflict'], why)
  }

  test('asks for one that is found without a name and makes sure who uses it', async () => {
    const { body } = await house.owner.post('/me/passkeys/options', { password: PASSWORD })
    const { authenticatorSelection, rp, user } = body.options
    assert.deepEqual(
      [authenticatorSelection.residentKey, authenticatorSelection.userVerification],
      ['required', 'required'],
    )
    assert.deepEqual([rp.id, user.name], ['localhost', OWNER])
  })

  test('keeps it under its name, and renames and removes it', async () => {
    const { status, body } = await add(house.owner, made())
    assert.equal(status, 201, JSON.stringify(body))
    assert.deepEqual([body.name, body.lastUsedAt], ['Laptop', null])
    const { body: options } = await house.owner.post('/me/passkeys/options', { password: PASSWORD })
    assert.equal(options.options.excludeCredentials.length, 1, 'the browser does not make a second for the same device')
    const renamed = await house.owner.post(`/me/passkeys/${body.id}/rename`, { name: ' Old laptop ' })
    assert.equal(renamed.body.name, 'Old laptop')
    assert.deepEqual((await house.owner.get('/me/security')).body.passkeys, [{ ...body, name: 'Old laptop' }])
    const other = await join(house, 'other@example.com', 'ADMIN')
    assert.equal((await other.post(`/me/passkeys/${body.id}/rename`, { name: 'Mine' })).status, 404)
    assert.equal((await other.delete(`/me/passkeys/${body.id}`)).status, 404)
    assert.deepEqual((await house.owner.delete(`/me/passkeys/${body.id}`)).body, { data: { id: body.id } })
    assert.equal((await house.owner.delete(`/me/passkeys/${body.id}`)).status, 404)
    const log = (await house.owner.get('/audit-log?limit=10')).body.data.map(({ action }: { action: string }) => action)
    assert.ok(log.includes('addPasskey') && log.includes('deletePasskey'), `${log}`)
  })

  test('refuses one that was made for another page, another host, or without asking who uses it', async () => {
    await refused(new Authenticator({ origin: 'http://evil.example', rpId: 'localhost' }), 'another page')
    await refused(new Authenticator({ origin: originOf(house), rpId: 'evil.example' }), 'another host')
    await refused(new Authenticator({ origin: originOf(house), verifies: false }), 'nobody in particular')
  })

  test('takes an answer once, within five minutes, from whoever asked', async () => {
    const { body } = await house.owner.post('/me/passkeys/options', { password: PASSWORD })
    const form = { token: body.token, name: 'A', response: made().create(body.options) }
    const other = await join(house, 'thief@example.com', 'ADMIN')
    assert.equal((await other.post('/me/passkeys', form)).status, 404)
    assert.equal((await house.owner.post('/me/passkeys', form)).status, 201)
    assert.equal((await house.owner.post('/me/passkeys', form)).status, 404)
    const late = await house.owner.post('/me/passkeys/options', { password: PASSWORD })
    clock.advance(5 * MINUTE_MS)
    const response = made().create(late.body.options)
    assert.equal((await house.owner.post('/me/passkeys', { token: late.body.token, name: 'B', response })).status, 404)
  })

  test('refuses an answer to another question, one that is there already, and nonsense', async () => {
    const [one, two] = [
      await house.owner.post('/me/passkeys/options', { password: PASSWORD }),
      await house.owner.post('/me/passkeys/options', { password: PASSWORD }),
    ]
    const response = made().create(one.body.options)
    assert.equal((await house.owner.post('/me/passkeys', { token: two.body.token, name: 'A', response })).status, 409)
    const twice = made()
    assert.equal((await add(house.owner, twice)).status, 201)
    await refused(twice, 'there already')
    const bare = {
      id: 'AA',
      rawId: 'AA',
      type: 'public-key',
      response: { clientDataJSON: 'AA', attestationObject: 'AA' },
    }
    assert.equal(
      (await house.owner.post('/me/passkeys', { token: one.body.token, name: 'A', response: bare })).status,
      409,
    )
    const { status } = await house.owner.post('/me/passkeys', { token: 'x', name: 'A', response: { id: 1 } })
    assert.equal(status, 400)
  })
})

forEachEngine('passkeys of one user', (engine) => {
  const house = useHouse(engine)

  test('are twenty at most', async () => {
    const origin = originOf(house)
    for (let i = 0; i < 19; i += 1) assert.equal((await add(house.owner, new Authenticator({ origin }))).status, 201)
    const { body } = await house.owner.post('/me/passkeys/options', { password: PASSWORD })
    assert.equal((await add(house.owner, new Authenticator({ origin }))).status, 201)
    const response = new Authenticator({ origin }).create(body.options)
    assert.equal((await house.owner.post('/me/passkeys', { token: body.token, name: 'A', response })).status, 409)
    assert.equal((await house.owner.post('/me/passkeys/options', { password: PASSWORD })).status, 409)
  })
})

forEachEngine('signing in with a passkey', (engine) => {
  const clock = new HandClock()
  const house = useHouse(engine, { clock })
  beforeEach(() => clearAttemptLimits(house.server))
  const someone = (): Person => new Person(house.server)
  const mine = async (): Promise<Authenticator> => {
    const authenticator = new Authenticator({ origin: originOf(house) })
    assert.equal((await add(house.owner, authenticator)).status, 201)
    return authenticator
  }
  const refused = async (authenticator: Authenticator, why: string): Promise<void> => {
    const person = someone()
    const { status, body } = await enter(person, authenticator)
    assert.deepEqual([status, body.error.code, person.cookie], [401, 'unauthorized', undefined], why)
  }

  test('names nobody, opens a session, and notes the use', async () => {
    const authenticator = await mine()
    const person = someone()
    const { body } = await person.post('/sign-in/passkey/options')
    assert.deepEqual([body.options.userVerification, body.options.allowCredentials], ['required', undefined])
    const done = await enter(person, authenticator)
    assert.equal(done.status, 200)
    assert.equal((await person.get('/me')).body.user.email, OWNER)
    const { passkeys } = (await person.get('/me/security')).body
    assert.equal(passkeys.at(-1).lastUsedAt, new Date(clock.now()).toISOString())
  })

  test('gives the browser a new token, and ends the session it had', async () => {
    const authenticator = await mine()
    const person = await house.comer()
    const planted = person.cookie as string
    assert.equal((await enter(person, authenticator)).status, 200)
    assert.notEqual(person.cookie, planted)
    const attacker = someone()
    attacker.cookie = planted
    assert.equal((await attacker.get('/me')).status, 401)
  })

  test('needs no second factor, and is named among what can finish a sign-in', async () => {
    const authenticator = await mine()
    const { app } = await addSecondFactor(house.owner, clock)
    assert.deepEqual((await someone().signIn(OWNER)).body.challenge.methods, ['TOTP', 'RECOVERY_CODE', 'PASSKEY'])
    const person = someone()
    assert.equal((await enter(person, authenticator)).status, 200)
    assert.equal((await person.get('/me')).status, 200)
    const challenge = await signInForChallenge(someone(), OWNER)
    const { body } = await someone().post('/sign-in/passkey/options')
    const crossed = { token: challenge, response: authenticator.use(body.options) }
    assert.equal((await someone().post('/sign-in/passkey', crossed)).status, 404, 'one question is not the other')
    assert.equal((await someone().post('/sign-in/totp', { challenge: body.token, code: app.next() })).status, 404)
    assert.equal((await house.owner.post('/me/totp/remove', { password: PASSWORD })).status, 200)
  })

  test('is refused for one that is unknown, does not ask who uses it, or was made to speak to another page', async () => {
    await refused(new Authenticator({ origin: originOf(house) }), 'unknown')
    const careless = await mine()
    careless.verifies = false
    await refused(careless, 'nobody in particular')
    const phished = await mine()
    phished.origin = 'https://evil.example'
    await refused(phished, 'another page')
    const moved = await mine()
    moved.rpId = 'evil.example'
    await refused(moved, 'another host')
  })

  test('is refused for another’s name, and for another’s passkey under the same id', async () => {
    const authenticator = await mine()
    const right = authenticator.userHandle
    authenticator.userHandle = Buffer.from('usr_somebody_else').toString('base64url')
    await refused(authenticator, 'another user')
    authenticator.userHandle = undefined
    await refused(authenticator, 'no user')
    authenticator.userHandle = right
    const forger = new Authenticator({ origin: originOf(house) })
    Object.assign(forger, { id: authenticator.id, userHandle: right })
    await refused(forger, 'another key')
    assert.equal((await enter(someone(), authenticator)).status, 200)
  })

  test('is refused where the passkey was copied: its count does not grow', async () => {
    const authenticator = await mine()
    authenticator.counter = 7
    assert.equal((await enter(someone(), authenticator)).status, 200)
    authenticator.counter = 3
    await refused(authenticator, 'a copy')
  })

  test('takes an answer once, to its own question, within five minutes', async () => {
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

  test('ends with the passkey’s removal', async () => {
    const authenticator = await mine()
    const { passkeys } = (await house.owner.get('/me/security')).body
    await house.owner.delete(`/me/passkeys/${passkeys.at(-1).id}`)
    await refused(authenticator, 'removed')
  })
})

forEachEngine('an installation without a name', (engine) => {
  test('says that passkeys need one', async () => {
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
