import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSession } from '../../../src/accounts/sessions/queries.ts'
import { createUser } from '../../../src/accounts/users/queries.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts'
import { hashToken } from '../../../src/lib/tokens.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { OWNER, PASSWORD, Person, useInstallation } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'

forEachEngine('a session', (engine) => {
  const installation = useInstallation(engine)

  test('is in an HttpOnly cookie with SameSite=Lax', async () => {
    const answer = await new Person(installation.server).signIn(OWNER)
    const [cookie] = answer.headers.getSetCookie()
    assert.match(cookie ?? '', /^pharos=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  })

  test('is stored only as a hash', async () => {
    const person = await installation.signInOwner()
    const token = person.cookie?.split('=')[1] as string
    const rows = await installation.server.running.database.read(execute(q.selectFrom('sessions').selectAll()))
    assert.ok(rows.some(({ hash }) => hash === hashToken(token)))
    assert.ok(!JSON.stringify(rows).includes(token))
  })

  test('is new at each sign-in, and the previous one of the browser ends (session fixation)', async () => {
    const person = await installation.signInOwner()
    const planted = person.cookie as string
    assert.equal((await person.signIn(OWNER)).status, 200)
    assert.notEqual(person.cookie, planted)
    const attacker = new Person(installation.server)
    attacker.cookie = planted
    assert.equal((await attacker.get('/me')).status, 401)
    attacker.cookie = `pharos=${'A'.repeat(43)}`
    const victim = await attacker.signIn(OWNER)
    assert.equal(victim.status, 200)
    assert.notEqual(attacker.cookie, `pharos=${'A'.repeat(43)}`)
  })

  test('is refused if the browser sends two session cookies', async () => {
    const [mine, other] = [await installation.signInOwner(), await installation.signInOwner()]
    mine.cookie = `${other.cookie}; ${mine.cookie}`
    assert.equal((await mine.get('/me')).status, 401)
  })

  test('ends with the sign-out, also for copies of the cookie', async () => {
    const person = await installation.signInOwner()
    const copy = new Person(installation.server)
    copy.cookie = person.cookie
    assert.deepEqual((await person.post('/sign-out')).body, { ended: true })
    assert.equal(person.cookie, undefined)
    assert.equal((await copy.get('/me')).status, 401)
    assert.deepEqual((await copy.post('/sign-out')).body, { ended: false })
  })
})

forEachEngine('the end of a session', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock })

  test('comes after seven days without use, and after thirty days in any case', async () => {
    const [idle, busy] = [await installation.signInOwner(), await installation.signInOwner()]
    for (let day = 0; day < 6; day += 1) {
      clock.advance(DAY_MS)
      assert.equal((await busy.get('/me')).status, 200)
    }
    clock.advance(DAY_MS - HOUR_MS)
    assert.equal((await busy.get('/me')).status, 200)
    clock.advance(HOUR_MS)
    assert.equal((await idle.get('/me')).status, 401, 'seven days to the moment')
    await eventually(async () => assert.equal((await busy.get('/me')).status, 200))
    for (let day = 7; day < 29; day += 1) {
      clock.advance(DAY_MS)
      assert.equal((await busy.get('/me')).status, 200, `day ${day}`)
      // The last use is written in the background.
      await eventually(async () => {
        const { body } = await busy.get('/sessions')
        assert.equal(Date.parse(body.data[0].lastSeenAt), clock.now())
      })
    }
    clock.advance(DAY_MS)
    assert.equal((await busy.get('/me')).status, 401)
  })
})

forEachEngine('sessions of one user', (engine) => {
  const installation = useInstallation(engine)

  test('are listed with address and browser, and can be ended one by one or all others at once', async () => {
    const person = await installation.signInOwner({ 'user-agent': 'Browser One' })
    const second = await installation.signInOwner({ 'user-agent': 'Browser Two' })
    const third = await installation.signInOwner()
    const { body } = await person.get('/sessions')
    assert.deepEqual(body.data.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent).length, 1)
    const agents = body.data.map(({ userAgent }: { userAgent: string }) => userAgent)
    assert.ok(agents.includes('Browser One') && agents.includes('Browser Two'))
    assert.equal(body.data[0].address, '127.0.0.1')
    const two = body.data.find(({ userAgent }: { userAgent: string }) => userAgent === 'Browser Two')
    assert.deepEqual((await person.delete(`/sessions/${two.id}`)).body, { data: { id: two.id } })
    assert.equal((await second.get('/me')).status, 401)
    assert.equal((await person.delete(`/sessions/${two.id}`)).status, 404)
    const before = person.cookie
    assert.ok((await person.post('/sessions/end-others')).body.ended >= 1)
    assert.notEqual(person.cookie, before, 'the token is rotated')
    assert.equal((await third.get('/me')).status, 401)
    assert.equal((await person.get('/sessions')).body.data.length, 1)
  })

  test('cannot be ended by other users', async () => {
    const { database } = installation.server.running
    await database.write(function* () {
      const user = yield* createUser({ email: 'other@example.com', passwordHash: null, emailVerifiedAt: null }, 1)
      const client = { address: '192.0.2.1', userAgent: null, knownBrowsers: () => [] }
      yield* openSession(user?.id as string, client, Date.now())
    })
    const rows = await database.read(execute(q.selectFrom('sessions').selectAll().where('address', '=', '192.0.2.1')))
    const person = await installation.signInOwner()
    assert.equal((await person.delete(`/sessions/${rows[0]?.id}`)).status, 404)
  })

  test('end when the password changes, except the current one, whose token is rotated', async () => {
    const [person, other] = [await installation.signInOwner(), await installation.signInOwner()]
    const old = new Person(installation.server)
    old.cookie = person.cookie
    const wrong = await person.post('/me/password', { currentPassword: 'nonsense', newPassword: PASSWORD })
    assert.deepEqual([wrong.status, wrong.body.error.details[0].path], [400, 'currentPassword'])
    const done = await person.post('/me/password', { currentPassword: PASSWORD, newPassword: `${PASSWORD} 2` })
    assert.equal(done.status, 200)
    assert.equal((await person.get('/me')).status, 200)
    assert.equal((await other.get('/me')).status, 401)
    assert.equal((await old.get('/me')).status, 401)
    assert.equal((await new Person(installation.server).signIn(OWNER)).status, 401)
    const back = { currentPassword: `${PASSWORD} 2`, newPassword: PASSWORD }
    assert.equal((await person.post('/me/password', back)).status, 200)
  })
})

forEachEngine('over https a session', (engine) => {
  test('is in a Secure cookie with the __Host- prefix', async () => {
    const env = { PHAROS_ROLES: 'api', PHAROS_BASE_URL: 'https://pharos.example.com' }
    await using server = await startTestServer(engine, { env })
    const person = new Person(server, { origin: 'https://pharos.example.com' })
    const token = server.setupToken
    const form = { token, email: OWNER, password: PASSWORD, organizationName: 'Acme' }
    const [cookie] = (await person.post('/setup', form)).headers.getSetCookie()
    assert.match(cookie ?? '', /^__Host-pharos=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/)
    assert.equal((await person.get('/me')).status, 200)
    person.cookie = person.cookie?.replace('__Host-', '')
    assert.equal((await person.get('/me')).status, 401, 'the name without the prefix is not accepted')
  })
})
