import assert from 'node:assert/strict'
import { test } from 'node:test'
import { organizationWithIdOrSlug } from '../../../src/accounts/organizations/queries.ts'
import { issueSetupToken } from '../../../src/accounts/sign-in/set-up.ts'
import { faultFor } from '../../../src/contract/errors.ts'
import { reason } from '../../../src/reasons/reason.ts'
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

  test('works once, also for parallel requests, if no newer one has replaced it', async () => {
    await using server = await startTestServer(engine, { env })
    const { database } = server.running
    const setUp = (more: object) => new Person(server).post('/setup', { ...form, ...more })
    const token = await database.write(() => issueSetupToken(Date.now()))
    for (const wrong of [server.setupToken, 'A'.repeat(43)]) assert.equal((await setUp({ token: wrong })).status, 404)
    const emails = Array.from({ length: 5 }, (_, i) => `ada${i}@example.com`)
    const answers = await Promise.all(emails.map((email) => setUp({ email, token })))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 404, 404, 404, 404])
    const again = await setUp({ token })
    assert.deepEqual([again.status, again.body.error.code], [404, 'not_found'])
    assert.equal(again.headers.getSetCookie().length, 0)
    assert.equal(await database.write(() => issueSetupToken(Date.now())), undefined)
  })

  test('needs an address, an organization, and a password that is not common', async () => {
    await using server = await startTestServer(engine, { env })
    const token = server.setupToken
    const visitor = new Person(server)
    const { status, body } = await visitor.post('/setup', { email: 'x', password: 'short', token: 't' })
    const paths = body.error.details.map(({ path }: { path: string }) => path).sort()
    assert.deepEqual([status, paths], [400, ['email', 'organizationName', 'password']])
    const details = [faultFor('password', reason('common_password'))]
    const refused = await visitor.post('/setup', { ...form, token, password: 'Password123!' })
    assert.deepEqual([refused.status, refused.body.error.details], [400, details])
    assert.equal((await visitor.post('/setup', { ...form, token })).status, 201)
    const changed = await visitor.post('/me/password', { currentPassword: PASSWORD, newPassword: '1234567890' })
    assert.deepEqual([changed.status, changed.body.error.details[0].path], [400, 'newPassword'])
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
