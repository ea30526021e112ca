import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../src/storage/query.ts'
import { forEachEngine } from '../support/engines.ts'
import {
  joinByInvitation,
  PASSWORD,
  Person,
  type TestInstallation,
  tokenIn,
  useInstallation,
} from '../support/person.ts'

interface Created {
  readonly id: string
  readonly token: string
}

async function invite(by: Person, role: string): Promise<Created> {
  const { status, body } = await by.post('/invitations', { role })
  assert.equal(status, 201, JSON.stringify(body))
  return { id: body.id, token: tokenIn(body.link) }
}

let accounts = 0

/** Statuses of opening a link, and of joining with it. */
async function use({ server }: Pick<TestInstallation, 'server'>, { token }: Created): Promise<readonly number[]> {
  const person = new Person(server)
  accounts += 1
  const shown = await person.get(`/invitations/link?token=${token}`)
  const form = { token, email: `again${accounts}@example.com`, password: PASSWORD }
  return [shown.status, (await person.post('/invitations/accept', form)).status]
}

/** The attack: an admin copies a link, loses the role, and comes back as an admin through the link. */
forEachEngine('an invitation of an admin', (engine) => {
  const installation = useInstallation(engine)

  test('is revoked when the admin is demoted, with an entry in the audit log', async () => {
    const { owner } = installation
    const admin = await joinByInvitation(installation, 'mallory@example.com', 'ADMIN')
    const links = [await invite(admin, 'ADMIN'), await invite(admin, 'VIEWER')]
    const ofOwner = await invite(owner, 'VIEWER')
    const userId = await admin.userId()
    const { status, body } = await owner.patch(`/members/${userId}`, { role: 'MEMBER' })
    for (const link of links) assert.deepEqual(await use(installation, link), [404, 404])
    assert.deepEqual([status, body.role, body.revokedInvitations.sort()], [200, 'MEMBER', links.map(({ id }) => id)])
    const left = (await owner.get('/invitations')).body.data
    assert.deepEqual(
      left.map(({ id, inviterId }: Record<string, string>) => [id, inviterId]),
      [[ofOwner.id, await owner.userId()]],
    )
    assert.deepEqual(await owner.actions(3), ['updateMember', 'deleteInvitation', 'deleteInvitation'])
    assert.deepEqual(await use(installation, ofOwner), [200, 200])
  })

  test('is revoked when the admin is removed or leaves', async () => {
    const { owner } = installation
    const removed = await joinByInvitation(installation, 'removed@example.com', 'ADMIN')
    const first = await invite(removed, 'ADMIN')
    const answer = await owner.delete(`/members/${await removed.userId()}`)
    assert.equal(answer.status, 200)
    const leaving = await joinByInvitation(installation, 'leaving@example.com', 'ADMIN')
    const second = await invite(leaving, 'MEMBER')
    const left = await leaving.post('/members/leave')
    for (const link of [first, second]) assert.deepEqual(await use(installation, link), [404, 404])
    assert.deepEqual([answer.body.revokedInvitations, left.body.revokedInvitations], [[first.id], [second.id]])
  })

  test('is not valid while its creator may not give its role, also if nothing has revoked it', async () => {
    const { server } = installation
    const admin = await joinByInvitation(installation, 'unseen@example.com', 'ADMIN')
    const link = await invite(admin, 'ADMIN')
    const setRole = (role: 'ADMIN' | 'MEMBER', userId: string) =>
      server.running.database.write(() => execute(q.updateTable('members').set({ role }).where('user_id', '=', userId)))
    await setRole('MEMBER', await admin.userId())
    assert.deepEqual(await use(installation, link), [404, 404])
    await setRole('ADMIN', await admin.userId())
    assert.deepEqual(await use(installation, link), [200, 200])
  })

  test('for an owner is revoked when the inviter is no longer an owner, others stay', async () => {
    const other = await joinByInvitation(installation, 'other@example.com', 'OWNER')
    const [asOwner, asAdmin] = [await invite(other, 'OWNER'), await invite(other, 'ADMIN')]
    const { body } = await installation.owner.patch(`/members/${await other.userId()}`, { role: 'ADMIN' })
    assert.deepEqual(await use(installation, asOwner), [404, 404])
    assert.deepEqual(body.revokedInvitations, [asOwner.id])
    assert.deepEqual(await use(installation, asAdmin), [200, 200])
  })
})
