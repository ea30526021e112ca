import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { argon2Sync } from 'node:crypto'
import { test } from 'node:test'
import { delayAfter, perAccount, perAddress } from '../../../src/accounts/sessions/attempt-limits.ts'
import { MINUTE_MS, SECOND_MS } from '../../../src/lib/clock.ts'
import { needsRehash } from '../../../src/lib/passwords.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine, withoutPostgres } from '../../support/engines.ts'
import { OWNER, PASSWORD, Person, useInstallation } from '../../support/person.ts'
import { migratedDatabase } from '../../support/postgres.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const env = { PHAROS_TRUST_PROXY: '127.0.0.1' }

/** A client with this address, as reported by a proxy. */
function from(server: TestServer, address: string): Person {
  return new Person(server, { 'x-forwarded-for': address })
}

test('delays double from the first to the longest', () => {
  const delays = [0, 1, 4, 5, 6, 7, 10, 11, 12, 1000].map((failures) => delayAfter(failures, perAccount) / SECOND_MS)
  assert.deepEqual(delays, [0, 0, 0, 1, 2, 4, 32, 60, 60, 60])
  assert.deepEqual(
    [19, 20, 21, 5000].map((n) => delayAfter(n, perAddress) / SECOND_MS),
    [0, 1, 2, 900],
  )
})

forEachEngine('signing in', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { env, clock })
  const at = (address: string): Person => from(installation.server, address)

  test('ignores the case of the address and the Unicode composition of the password', async () => {
    const person = at('192.0.2.9')
    assert.equal((await person.signIn('OWNER@Example.COM')).status, 200)
    const composed = 'caf\u00e9 au lait'
    assert.equal((await person.post('/me/password', { currentPassword: PASSWORD, newPassword: composed })).status, 200)
    assert.equal((await at('192.0.2.9').signIn(OWNER, 'cafe\u0301 au lait')).status, 200)
    const back = { currentPassword: composed, newPassword: PASSWORD }
    assert.equal((await person.post('/me/password', back)).status, 200)
  })

  test('gives the same answer for an unknown user and a wrong password', async () => {
    const unknown = await at('192.0.2.1').signIn('nobody@example.com', 'some password')
    const wrong = await at('192.0.2.1').signIn(OWNER, 'some password')
    for (const { status, body, headers } of [unknown, wrong]) {
      assert.equal(status, 401)
      assert.equal(headers.getSetCookie().length, 0)
      delete body.error.requestId
    }
    assert.deepEqual(unknown.body, wrong.body)
    await at('192.0.2.1').signIn(OWNER)
  })

  test('hashes for an unknown user as for a wrong password, so that both take the same time', async () => {
    const hashesOf = async (email: string): Promise<number> => {
      let count = 0
      const hook = createHook({
        init(_id, type) {
          if (type.startsWith('ARGON2')) count += 1
        },
      }).enable()
      assert.equal((await at('198.51.100.1').signIn(email, 'not the password')).status, 401)
      hook.disable()
      return count
    }
    assert.deepEqual([await hashesOf(OWNER), await hashesOf('nobody@example.com')], [1, 1])
    clock.advance(2 * MINUTE_MS)
    await at('198.51.100.1').signIn(OWNER)
  })

  test('rehashes a password that was stored with another cost', async () => {
    const nonce = Buffer.alloc(16, 1)
    const cheap = argon2Sync('argon2id', {
      message: PASSWORD,
      nonce,
      tagLength: 32,
      memory: 64,
      passes: 1,
      parallelism: 1,
    })
    const b64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
    const old = `$argon2id$v=19$m=64,t=1,p=1$${b64(nonce)}$${b64(cheap)}`
    const { database } = installation.server.running
    await database.write(() => execute(q.updateTable('users').set({ password_hash: old })))
    assert.equal((await at('192.0.2.50').signIn(OWNER)).status, 200)
    const [user] = await database.read(execute(q.selectFrom('users').selectAll()))
    assert.notEqual(user?.password_hash, old)
    assert.equal(needsRehash(user?.password_hash ?? ''), false)
    assert.equal((await at('192.0.2.50').signIn(OWNER)).status, 200)
  })
})

forEachEngine('guessing passwords', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { env, clock })
  const at = (address: string): Person => from(installation.server, address)

  for (const [who, email] of [
    ['a user', OWNER],
    ['an unknown user', 'no-user@example.com'],
  ] as const) {
    test(`is delayed after five failures for ${who}, from any address, and allowed after each delay`, async () => {
      for (let i = 1; i <= 5; i += 1) {
        assert.equal((await at(`203.0.113.${i}`).signIn(email, 'guess guess')).status, 401, `${i}`)
      }
      const blocked = await at('203.0.113.99').signIn(email, PASSWORD)
      assert.deepEqual([blocked.status, blocked.body.error.code], [429, 'rate_limited'])
      assert.equal(blocked.headers.get('retry-after'), '1')
      clock.advance(SECOND_MS)
      assert.equal((await at('203.0.113.6').signIn(email, 'guess guess')).status, 401)
      assert.equal((await at('203.0.113.7').signIn(email)).headers.get('retry-after'), '2')
      clock.advance(2 * SECOND_MS)
      assert.equal((await at('203.0.113.7').signIn(email)).status, email === OWNER ? 200 : 401)
    })
  }

  test('counts each of many parallel attempts', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => at(`203.0.113.${i + 100}`).signIn('many@example.com', 'guess guess')),
    )
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual([statuses.filter((s) => s === 401).length, statuses.filter((s) => s === 429).length], [5, 7])
  })

  test('is delayed after twenty failures from one address, for any users', async () => {
    for (let i = 1; i <= 20; i += 1) {
      assert.equal((await at('192.0.2.77').signIn(`user${i}@example.com`, 'guess guess')).status, 401)
    }
    assert.equal((await at('192.0.2.77').signIn(OWNER)).status, 429)
    assert.equal((await at('192.0.2.78').signIn(OWNER)).status, 200, 'others are not')
  })

  test('stores only hashes of users and addresses', async () => {
    const rows = await installation.server.running.database.read(execute(q.selectFrom('sign_in_limits').selectAll()))
    assert.ok(rows.length > 0)
    for (const { subject } of rows) assert.match(subject, /^[0-9a-f]{64}$/)
  })
})

test('failed attempts are counted across nodes', { skip: withoutPostgres }, async () => {
  const created = await migratedDatabase()
  const clock = new HandClock()
  try {
    await using one = await startTestServer('postgres', {
      env: { PHAROS_ROLES: 'api', ...env },
      clock,
      databaseUrl: created.url,
    })
    await using two = await startTestServer('postgres', {
      env: { PHAROS_ROLES: 'api', ...env },
      clock,
      databaseUrl: created.url,
    })
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        from(i % 2 ? one : two, `203.0.113.${i}`).signIn('a@example.com', 'guess guess'),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 401).length, 5)
  } finally {
    await created.drop()
  }
})
