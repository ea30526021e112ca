import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { OWNER, PASSWORD, Person, tokenIn, useInstallation } from '../../support/person.ts'

forEachEngine('an invitation', (engine) => {
  const clock = new HandClock()
  const installation = useInstallation(engine, { clock })
  const invite = async (body: object): Promise<string> => {
    const answer = await installation.owner.post('/invitations', body)
    assert.equal(answer.status, 201)
    return tokenIn(answer.body.link)
  }

  test('shows its details, makes a new user a member, and works once', async () => {
    const token = await invite({ role: 'MEMBER', email: 'new@example.com' })
    const visitor = new Person(installation.server)
    const { body: about } = await visitor.get(`/invitations/link?token=${token}`)
    assert.deepEqual(
      [about.organizationName, about.role, about.email, about.invitedBy, about.hasAccount],
      ['Acme', 'MEMBER', 'new@example.com', 'owner', false],
    )
    const joined = await visitor.post('/invitations/accept', { token, password: PASSWORD, name: 'New' })
    assert.equal(joined.status, 200)
    const { body: me } = await visitor.get('/me')
    assert.deepEqual(
      [me.user.email, me.user.name, me.user.emailVerified, me.organizations[0].role],
      ['new@example.com', 'New', false, 'MEMBER'],
    )
    const again = { token, email: 'x@example.com', password: PASSWORD }
    assert.equal((await new Person(installation.server).post('/invitations/accept', again)).status, 404)
    assert.equal((await visitor.get(`/invitations/link?token=${token}`)).status, 404)
  })

  test('is accepted once by parallel requests', async () => {
    const token = await invite({ role: 'VIEWER' })
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, i) =>
        new Person(installation.server).post('/invitations/accept', {
          token,
          email: `r${i}@example.com`,
          password: PASSWORD,
        }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404, 404])
  })

  test('for an existing user requires that user to sign in, and does not change an existing membership', async () => {
    const token = await invite({ role: 'VIEWER', email: OWNER })
    const stranger = new Person(installation.server)
    const taken = await stranger.post('/invitations/accept', { token, password: PASSWORD })
    assert.deepEqual(
      [taken.status, taken.body.error.code],
      [409, 'conflict'],
      'an existing account cannot be taken over',
    )
    const { body: about } = await stranger.get(`/invitations/link?token=${token}`)
    assert.equal(about.hasAccount, false, 'only a mailed link tells')
    const owner = await installation.signInOwner()
    const member = await owner.post('/invitations/accept', { token })
    assert.deepEqual([member.status, member.body.error.message], [409, 'You are already a member of this organization'])
    assert.equal((await owner.get('/me')).body.organizations[0].role, 'OWNER', 'the role is kept')
  })

  test('for another address is refused to the signed-in user', async () => {
    const token = await invite({ role: 'VIEWER', email: 'else@example.com' })
    const owner = await installation.signInOwner()
    const answer = await owner.post('/invitations/accept', { token })
    assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden'])
  })

  test('names missing fields', async () => {
    const token = await invite({ role: 'VIEWER' })
    const { status, body } = await new Person(installation.server).post('/invitations/accept', { token })
    assert.deepEqual(
      [status, body.error.details.map(({ path }: { path: string }) => path)],
      [400, ['email', 'password']],
    )
  })

  test('expires after seven days, and ends when it is deleted', async () => {
    const { body } = await installation.owner.post('/invitations', { role: 'VIEWER' })
    assert.equal((await installation.owner.delete(`/invitations/${body.id}`)).status, 200)
    const accept = (link: string) =>
      new Person(installation.server).post('/invitations/accept', {
        token: tokenIn(link),
        email: 'late@example.com',
        password: PASSWORD,
      })
    assert.equal((await accept(body.link)).status, 404)
    const { body: second } = await installation.owner.post('/invitations', { role: 'VIEWER' })
    clock.advance(7 * DAY_MS - 60_000)
    assert.equal(
      (await new Person(installation.server).get(`/invitations/link?token=${tokenIn(second.link)}`)).status,
      200,
    )
    clock.advance(60_000)
    assert.equal((await accept(second.link)).status, 404)
  })

  test('is stored without its link', async () => {
    const owner = await installation.signInOwner()
    const { body } = await owner.post('/invitations', { role: 'VIEWER' })
    const rows = await installation.server.running.database.read(execute(q.selectFrom('invitations').selectAll()))
    assert.ok(rows.length > 0 && !JSON.stringify(rows).includes(tokenIn(body.link)))
    assert.ok(!JSON.stringify((await owner.get('/invitations')).body).includes(tokenIn(body.link)))
  })
})
