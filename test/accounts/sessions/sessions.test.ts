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
import { OWNER, PASSWORD, Person, useHouse } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'

forEachEngine('a session', (engine) => {
  const house = useHouse(engine)

  test('is in a cookie that scripts cannot read and other sites cannot send along with a change', async () => {
    const answer = await new Person(house.server).signIn(OWNER)
    const [cookie] = answer.headers.getSetCookie()
    assert.match(cookie ?? '', /^pharos=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  })

  test('is stored as a hash alone', async () => {
    const person = await house.comer()
    const token = person.cookie?.split('=')[1] as string
    const rows = await house.server.running.database.read(execute(q.selectFrom('sessions').selectAll()))
    assert.ok(rows.some(({ hash }) => hash === hashToken(token)))
    assert.ok(!JSON.stringify(rows).includes(token))
  })

  test('is a new one at each sign-in, and the one the browser had before ends: none can be planted', async () => {
    const person = await house.comer()
    const planted = person.cookie as string
    assert.equal((await person.signIn(OWNER)).status, 200)
    assert.notEqual(person.cookie, planted)
    const attacker = new Person(house.server)
    attacker.cookie = planted
    assert.equal((await attacker.get('/me')).status, 401)
    attacker.cookie = `pharos=${'A'.repeat(43)}`
    const victim = await attacker.signIn(OWNER)
    assert.equal(victim.status, 200)
    assert.notEqual(attacker.cookie, `pharos=${'A'.repeat(43)}`)
  })

  test('of which the browser sends two counts for nothing: one of them was planted', async () => {
    const [mine, other] = [await house.comer(), await house.comer()]
    mine.cookie = `${other.cookie}; ${mine.cookie}`
    assert.equal((await mine.get('/me')).status, 401)
  })

  test('ends with the sign-out, for whoever else has the cookie too', async () => {
    const person = await house.comer()
    const copy = new Person(house.server)
    copy.cookie = person.cookie
    assert.deepEqual((await person.post('/sign-out')).body, { ended: true })
    assert.equal(person.cookie, undefined)
    assert.equal((await copy.get('/me')).status, 401)
    assert.deepEqual((await copy.post('/sign-out')).body, { ended: false })
  })
})

forEachEngine('the end of a session', (engine) => {
  const clock = new HandClock()
  const house = useHouse(engine, { clock })

  test('comes after seven days without use, and after thirty whatever its use', async () => {
    const [idle, busy] = [await house.comer(), await house.comer()]
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
      // The use is noted without anybody waiting for it.
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
  const house = useHouse(engine)

  test('are listed with where they are used, and can be ended one by one or all but this', async () => {
    const person = await house.comer({ 'user-agent': 'Browser One' })
    const [second, third] = [await house.comer({ 'user-agent': 'Browser Two' }), await house.comer()]
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
    assert.notEqual(person.cookie, before, 'and goes on with another token')
    assert.equal((await third.get('/me')).status, 401)
    assert.equal((await person.get('/sessions')).body.data.length, 1)
  })

  test('are nobody else’s to end', async () => {
    const { database } = house.server.running
    await database.write(function* () {
      const user = yield* createUser({ email: 'other@example.com', passwordHash: null, emailVerifiedAt: null }, 1)
      yield* openSession(user?.id as string, { address: '192.0.2.1', userAgent: null }, Date.now())
    })
    const rows = await database.read(execute(q.selectFrom('sessions').selectAll().where('address', '=', '192.0.2.1')))
    const person = await house.comer()
    assert.equal((await person.delete(`/sessions/${rows[0]?.id}`)).status, 404)
  })

  test('end with a new password, but for the one that set it, which goes on with another token', async () => {
    const [person, other] = [await house.comer(), await house.comer()]
    const old = new Person(house.server)
    old.cookie = person.cookie
    const wrong = await person.post('/me/password', { currentPassword: 'nonsense', newPassword: PASSWORD })
    assert.deepEqual([wrong.status, wrong.body.error.details[0].path], [400, 'currentPassword'])
    const done = await person.post('/me/password', { currentPassword: PASSWORD, newPassword: `${PASSWORD} 2` })
    assert.equal(done.status, 200)
    assert.equal((await person.get('/me')).status, 200)
    assert.equal((await other.get('/me')).status, 401)
    assert.equal((await old.get('/me')).status, 401)
    assert.equal((await new Person(house.server).signIn(OWNER)).status, 401)
    const back = { currentPassword: `${PASSWORD} 2`, newPassword: PASSWORD }
    assert.equal((await person.post('/me/password', back)).status, 200)
  })
})

forEachEngine('over https a session', (engine) => {
  test('is in a cookie that no other host and no plain connection can set', async () => {
    const env = { PHAROS_ROLES: 'api', PHAROS_BASE_URL: 'https://pharos.example.com' }
    await using server = await startTestServer(engine, { env })
    const person = new Person(server, { origin: 'https://pharos.example.com' })
    const token = server.running.setupToken
    const form = { token, email: OWNER, password: PASSWORD, organizationName: 'Acme' }
    const [cookie] = (await person.post('/setup', form)).headers.getSetCookie()
    assert.match(cookie ?? '', /^__Host-pharos=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/)
    assert.equal((await person.get('/me')).status, 200)
    person.cookie = person.cookie?.replace('__Host-', '')
    assert.equal((await person.get('/me')).status, 401, 'the plain name is nobody’s')
  })
})
