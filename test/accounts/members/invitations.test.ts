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
  const accept = (form: object, person = new Person(installation.server)) => person.post('/invitations/accept', form)

  test('shows its details, makes a new user a member, and works once', async () => {
    const token = await invite({ role: 'MEMBER', email: 'new@example.com' })
    const visitor = new Person(installation.server)
    const { body: about } = await visitor.get(`/invitations/link?token=${token}`)
    assert.deepEqual(
      [about.organizationName, about.role, about.email, about.invitedBy, about.hasAccount],
      ['Acme', 'MEMBER', 'new@example.com', 'owner', false],
    )
    assert.equal((await accept({ token, password: PASSWORD, name: 'New' }, visitor)).status, 200)
    const { body: me } = await visitor.get('/me')
    assert.deepEqual(
      [me.user.email, me.user.name, me.user.emailVerified, me.organizations[0].role],
      ['new@example.com', 'New', false, 'MEMBER'],
    )
    assert.equal((await accept({ token, email: 'x@example.com', password: PASSWORD })).status, 404)
    assert.equal((await visitor.get(`/invitations/link?token=${token}`)).status, 404)
  })

  test('is accepted once by parallel requests', async () => {
    const token = await invite({ role: 'VIEWER' })
    const emails = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com']
    const answers = await Promise.all(emails.map((email) => accept({ token, email, password: PASSWORD })))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404, 404])
  })

  test('for an existing user requires that user to sign in, and does not change an existing membership', async () => {
    const token = await invite({ role: 'VIEWER', email: OWNER })
    const stranger = new Person(installation.server)
    const { status, body } = await accept({ token, password: PASSWORD }, stranger)
    assert.deepEqual([status, body.error.code], [409, 'conflict'], 'an existing account cannot be taken over')
    const { body: about } = await stranger.get(`/invitations/link?token=${token}`)
    assert.equal(about.hasAccount, false, 'only a mailed link tells')
    const owner = await installation.signInOwner()
    const member = await accept({ token }, owner)
    assert.deepEqual([member.status, member.body.error.message], [409, 'You are already a member of this organization'])
    assert.equal((await owner.get('/me')).body.organizations[0].role, 'OWNER', 'the role is kept')
  })

  test('for another address is refused to the signed-in user', async () => {
    const token = await invite({ role: 'VIEWER', email: 'else@example.com' })
    const { status, body } = await accept({ token }, await installation.signInOwner())
    assert.deepEqual([status, body.error.code], [403, 'forbidden'])
  })

  test('names missing fields', async () => {
    const token = await invite({ role: 'VIEWER' })
    const { status, body } = await accept({ token })
    const paths = body.error.details.map(({ path }: { path: string }) => path)
    assert.deepEqual([status, paths], [400, ['email', 'password']])
  })

  test('expires after seven days, and ends when it is deleted', async () => {
    const { id, link } = (await installation.owner.post('/invitations', { role: 'VIEWER' })).body
    assert.equal((await installation.owner.delete(`/invitations/${id}`)).status, 200)
    const late = { email: 'late@example.com', password: PASSWORD }
    assert.equal((await accept({ token: tokenIn(link), ...late })).status, 404)
    const token = await invite({ role: 'VIEWER' })
    clock.advance(7 * DAY_MS - 60_000)
    assert.equal((await new Person(installation.server).get(`/invitations/link?token=${token}`)).status, 200)
    clock.advance(60_000)
    assert.equal((await accept({ token, ...late })).status, 404)
  })

  test('is stored without its link', async () => {
    const owner = await installation.signInOwner()
    const { link } = (await owner.post('/invitations', { role: 'VIEWER' })).body
    const rows = await installation.server.running.database.read(execute(q.selectFrom('invitations').selectAll()))
    assert.ok(rows.length > 0 && !JSON.stringify(rows).includes(tokenIn(link)))
    assert.ok(!JSON.stringify((await owner.get('/invitations')).body).includes(tokenIn(link)))
  })
})
