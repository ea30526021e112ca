import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { joinByInvitation, OWNER, type Person, useInstallation } from '../../support/person.ts'

async function idOf(person: Person): Promise<string> {
  return (await person.get('/me')).body.user.id
}

forEachEngine('members', (engine) => {
  const installation = useInstallation(engine)

  test('are listed in the order in which they joined', async () => {
    await joinByInvitation(installation, 'first@example.com', 'MEMBER')
    const { body } = await installation.owner.get('/members')
    const [owner, first] = body.data
    assert.deepEqual(
      [owner.email, owner.role, first.email, first.role],
      [OWNER, 'OWNER', 'first@example.com', 'MEMBER'],
    )
  })

  test('a changed role applies from the next request', async () => {
    const person = await joinByInvitation(installation, 'changing@example.com', 'VIEWER')
    const monitor = { name: 'x', type: 'CRON' }
    assert.equal((await person.post('/v1/monitors', monitor)).status, 403)
    const id = await idOf(person)
    assert.equal((await installation.owner.patch(`/members/${id}`, { role: 'MEMBER' })).body.role, 'MEMBER')
    assert.equal((await person.post('/v1/monitors', monitor)).status, 201)
    assert.equal((await installation.owner.delete(`/members/${id}`)).status, 200)
    assert.deepEqual((await person.get('/v1/monitors')).body.error.message, 'You belong to no organization')
    assert.equal((await installation.owner.delete(`/members/${id}`)).status, 404)
  })

  test('an admin cannot appoint, change or remove owners', async () => {
    const admin = await joinByInvitation(installation, 'admin@example.com', 'ADMIN')
    const member = await joinByInvitation(installation, 'plain@example.com', 'MEMBER')
    const ownerId = await idOf(installation.owner)
    const refused = [
      await admin.patch(`/members/${await idOf(admin)}`, { role: 'OWNER' }),
      await admin.patch(`/members/${await idOf(member)}`, { role: 'OWNER' }),
      await admin.patch(`/members/${ownerId}`, { role: 'VIEWER' }),
      await admin.delete(`/members/${ownerId}`),
      await admin.post('/invitations', { role: 'OWNER' }),
    ]
    assert.deepEqual(
      refused.map(({ status, body }) => `${status} ${body.error.code}`),
      refused.map(() => '403 forbidden'),
    )
    assert.equal((await admin.patch(`/members/${await idOf(member)}`, { role: 'ADMIN' })).status, 200)
  })

  test('the last owner cannot leave, be removed or be demoted', async () => {
    const ownerId = await idOf(installation.owner)
    for (const answer of [
      await installation.owner.post('/members/leave'),
      await installation.owner.delete(`/members/${ownerId}`),
      await installation.owner.patch(`/members/${ownerId}`, { role: 'ADMIN' }),
    ]) {
      assert.deepEqual([answer.status, answer.body.error.code], [409, 'conflict'])
    }
  })

  test('when all owners leave at the same time, one stays', async () => {
    const second = await joinByInvitation(installation, 'second-owner@example.com', 'OWNER')
    const third = await joinByInvitation(installation, 'third-owner@example.com', 'OWNER')
    const owners = [installation.owner, second, third]
    const answers = await Promise.all(owners.map((owner) => owner.post('/members/leave')))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 409])
    const left = owners[answers.findIndex(({ status }) => status === 409)] as Person
    const { body } = await left.get('/members')
    assert.equal(body.data.filter(({ role }: { role: string }) => role === 'OWNER').length, 1)
  })
})

forEachEngine('two organizations', (engine) => {
  const installation = useInstallation(engine, { env: { PHAROS_OPEN_SIGNUP: 'true', PHAROS_SIGNUP_PLAN: 'STARTER' } })

  test('of one user are separate, and requests must name one', async () => {
    const { owner } = installation
    const { body: second } = await owner.post('/organizations', { name: 'Second' })
    assert.deepEqual([second.plan, second.role, second.slug], ['STARTER', 'OWNER', 'second'])
    const unclear = await owner.get('/v1/monitors')
    assert.deepEqual([unclear.status, unclear.body.error.details[0].path], [400, 'x-pharos-organization'])
    owner.organization = 'default'
    const { body: monitor } = await owner.post('/v1/monitors', { name: 'in the first', type: 'CRON' })
    owner.organization = second.id
    assert.equal((await owner.get(`/v1/monitors/${monitor.id}`)).status, 404)
    assert.equal((await owner.get('/v1/monitors')).body.pagination.total, 0)
    assert.equal((await owner.patch('/organization', { name: 'Renamed' })).body.name, 'Renamed')
    const { body: me } = await owner.get('/me')
    assert.deepEqual(
      me.organizations.map(({ name }: { name: string }) => name),
      ['Acme', 'Renamed'],
    )
    owner.organization = undefined
  })

  test('another organization is answered like one that does not exist', async () => {
    const { orgId } = await installation.server.organization('FREE')
    for (const named of [orgId, 'no-such-organization']) {
      const answer = await installation.owner.send('GET', '/v1/monitors', undefined, { 'x-pharos-organization': named })
      assert.deepEqual([answer.status, answer.body.error.message], [404, 'No such organization'])
    }
  })

  test('the owner of one cannot change members and invitations of the other through it', async () => {
    const { owner } = installation
    const { body: other } = await owner.post('/organizations', { name: 'Other' })
    owner.organization = 'default'
    const person = await joinByInvitation(installation, 'someone@example.com', 'VIEWER')
    const { body: invitation } = await owner.post('/invitations', { role: 'VIEWER' })
    owner.organization = other.id
    assert.equal((await owner.delete(`/members/${await idOf(person)}`)).status, 404)
    assert.equal((await owner.patch(`/members/${await idOf(person)}`, { role: 'ADMIN' })).status, 404)
    assert.equal((await owner.delete(`/invitations/${invitation.id}`)).status, 404)
    assert.deepEqual((await owner.get('/invitations')).body.data, [])
    owner.organization = undefined
  })
})
