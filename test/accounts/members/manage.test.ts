import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { join, OWNER, type Person, useHouse } from '../../support/person.ts'

async function idOf(person: Person): Promise<string> {
  return (await person.get('/me')).body.user.id
}

forEachEngine('members', (engine) => {
  const house = useHouse(engine)

  test('are listed in the order in which they joined', async () => {
    await join(house, 'first@example.com', 'MEMBER')
    const { body } = await house.owner.get('/members')
    const [owner, first] = body.data
    assert.deepEqual(
      [owner.email, owner.role, first.email, first.role],
      [OWNER, 'OWNER', 'first@example.com', 'MEMBER'],
    )
  })

  test('have what their role gives from the next request on', async () => {
    const person = await join(house, 'changing@example.com', 'VIEWER')
    const monitor = { name: 'x', type: 'CRON' }
    assert.equal((await person.post('/v1/monitors', monitor)).status, 403)
    const id = await idOf(person)
    assert.equal((await house.owner.patch(`/members/${id}`, { role: 'MEMBER' })).body.role, 'MEMBER')
    assert.equal((await person.post('/v1/monitors', monitor)).status, 201)
    assert.equal((await house.owner.delete(`/members/${id}`)).status, 200)
    assert.deepEqual((await person.get('/v1/monitors')).body.error.message, 'You belong to no organization')
    assert.equal((await house.owner.delete(`/members/${id}`)).status, 404)
  })

  test('an admin neither makes nor touches owners, and cannot become one', async () => {
    const admin = await join(house, 'admin@example.com', 'ADMIN')
    const member = await join(house, 'plain@example.com', 'MEMBER')
    const ownerId = await idOf(house.owner)
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

  test('the last owner neither leaves, nor is removed, nor becomes less', async () => {
    const ownerId = await idOf(house.owner)
    for (const answer of [
      await house.owner.post('/members/leave'),
      await house.owner.delete(`/members/${ownerId}`),
      await house.owner.patch(`/members/${ownerId}`, { role: 'ADMIN' }),
    ]) {
      assert.deepEqual([answer.status, answer.body.error.code], [409, 'conflict'])
    }
  })

  test('of two owners who leave at once, one stays', async () => {
    const second = await join(house, 'second-owner@example.com', 'OWNER')
    const third = await join(house, 'third-owner@example.com', 'OWNER')
    const owners = [house.owner, second, third]
    const answers = await Promise.all(owners.map((owner) => owner.post('/members/leave')))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 409])
    const left = owners[answers.findIndex(({ status }) => status === 409)] as Person
    const { body } = await left.get('/members')
    assert.equal(body.data.filter(({ role }: { role: string }) => role === 'OWNER').length, 1)
  })
})

forEachEngine('two organizations', (engine) => {
  const house = useHouse(engine, { env: { PHAROS_OPEN_SIGNUP: 'true', PHAROS_SIGNUP_PLAN: 'STARTER' } })

  test('of one user never mix, and a request says which one it is for', async () => {
    const { owner } = house
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

  test('one that somebody does not belong to looks like one that never was', async () => {
    const stranger = house.server
    const { orgId } = await stranger.organization('FREE')
    for (const named of [orgId, 'no-such-organization']) {
      const answer = await house.owner.send('GET', '/v1/monitors', undefined, { 'x-pharos-organization': named })
      assert.deepEqual([answer.status, answer.body.error.message], [404, 'No such organization'])
    }
  })

  test('a member of one touches no member and no invitation of the other', async () => {
    const { owner } = house
    const { body: other } = await owner.post('/organizations', { name: 'Other' })
    owner.organization = 'default'
    const person = await join(house, 'someone@example.com', 'VIEWER')
    const { body: invitation } = await owner.post('/invitations', { role: 'VIEWER' })
    owner.organization = other.id
    assert.equal((await owner.delete(`/members/${await idOf(person)}`)).status, 404)
    assert.equal((await owner.patch(`/members/${await idOf(person)}`, { role: 'ADMIN' })).status, 404)
    assert.equal((await owner.delete(`/invitations/${invitation.id}`)).status, 404)
    assert.deepEqual((await owner.get('/invitations')).body.data, [])
    owner.organization = undefined
  })
})
