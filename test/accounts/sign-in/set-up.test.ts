import assert from 'node:assert/strict'
import { test } from 'node:test'
import { organizationWithIdOrSlug } from '../../../src/accounts/organizations/queries.ts'
import { issueSetupToken } from '../../../src/accounts/sign-in/set-up.ts'
import { forEachEngine } from '../../support/engines.ts'
import { PASSWORD, Person } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'
import { migratedWorkspace } from '../../support/workspace.ts'

const env = { PHAROS_ROLES: 'api' }
const form = { email: 'ada@example.com', password: PASSWORD, organizationName: 'Acme' }

forEachEngine('the setup link', (engine) => {
  test('makes its first user the owner of the first organization, and signs them in', async () => {
    await using server = await startTestServer(engine, { env })
    const visitor = new Person(server)
    assert.equal((await visitor.get('/about')).body.setupNeeded, true)
    const token = server.setupToken as string
    assert.match(token, /^[A-Za-z0-9_-]{43}$/)
    const answer = await visitor.post('/setup', { ...form, token })
    assert.equal(answer.status, 201)
    const { body: me } = await visitor.get('/me')
    assert.deepEqual([me.user.email, me.user.name, me.user.id], ['ada@example.com', 'ada', answer.body.userId])
    const [membership] = me.organizations
    assert.deepEqual([membership.slug, membership.name, membership.role], ['default', 'Acme', 'OWNER'])
    assert.equal((await server.running.database.read(organizationWithIdOrSlug('default')))?.name, 'Acme')
    assert.equal((await visitor.get('/about')).body.setupNeeded, false)
  })

  test('works once, also for parallel requests', async () => {
    await using server = await startTestServer(engine, { env })
    const token = server.setupToken
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        new Person(server).post('/setup', { ...form, email: `ada${i}@example.com`, token }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 404, 404, 404, 404])
    const again = await new Person(server).post('/setup', { ...form, token })
    assert.deepEqual([again.status, again.body.error.code], [404, 'not_found'])
    assert.equal(again.headers.getSetCookie().length, 0)
  })

  test('is refused with an unknown token', async () => {
    await using server = await startTestServer(engine, { env })
    assert.equal((await new Person(server).post('/setup', { ...form, token: 'A'.repeat(43) })).status, 404)
    const { status, body } = await new Person(server).post('/setup', { email: 'x', password: 'short', token: 't' })
    assert.equal(status, 400)
    assert.deepEqual(body.error.details.map(({ path }: { path: string }) => path).sort(), [
      'email',
      'organizationName',
      'password',
    ])
  })

  test('refuses a common password, here and when it is changed', async () => {
    await using server = await startTestServer(engine, { env })
    const token = server.setupToken
    const details = [{ path: 'password', message: 'is easy to guess. Choose one that others do not use' }]
    const visitor = new Person(server)
    const refused = await visitor.post('/setup', { ...form, token, password: 'Password123!' })
    assert.deepEqual([refused.status, refused.body.error.details], [400, details])
    assert.equal((await visitor.post('/setup', { ...form, token })).status, 201)
    const changed = await visitor.post('/me/password', { currentPassword: PASSWORD, newPassword: '1234567890' })
    assert.deepEqual([changed.status, changed.body.error.details[0].path], [400, 'newPassword'])
  })

  test('is replaced by a newer one until one is used', async () => {
    await using server = await startTestServer(engine, { env })
    const { database } = server.running
    const old = server.setupToken
    const token = await database.write(() => issueSetupToken(Date.now()))
    assert.equal((await new Person(server).post('/setup', { ...form, token: old })).status, 404)
    assert.equal((await new Person(server).post('/setup', { ...form, token })).status, 201)
    assert.equal(await database.write(() => issueSetupToken(Date.now())), undefined)
  })

  test('is not needed where the configuration names the first user, who is created once', async () => {
    await using workspace = await migratedWorkspace(engine)
    const startWith = (email: string, password: string) => {
      const named = { ...env, PHAROS_FIRST_USER_EMAIL: email, PHAROS_FIRST_USER_PASSWORD: password }
      return startTestServer(engine, { ...workspace.storage, env: named })
    }
    {
      await using first = await startWith('ada@example.com', PASSWORD)
      assert.equal(first.setupToken, undefined)
      const ada = new Person(first)
      assert.equal((await ada.signIn('ada@example.com')).status, 200)
      const { user, organizations } = (await ada.get('/me')).body
      assert.equal(user.emailVerified, true)
      assert.deepEqual(
        organizations.map(({ slug, role }: { slug: string; role: string }) => [slug, role]),
        [['default', 'OWNER']],
      )
    }
    await using second = await startWith('eve@example.com', 'another long password')
    assert.equal((await new Person(second).signIn('eve@example.com', 'another long password')).status, 401)
    assert.equal((await new Person(second).signIn('ada@example.com')).status, 200)
  })
})
