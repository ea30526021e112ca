import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { test } from 'node:test'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'
import {
  claim,
  joinByInvitation,
  PASSWORD,
  Person,
  type TestInstallation,
  tokenIn,
  useInstallation,
} from '../support/person.ts'

async function worksOn({ server }: TestInstallation, key: string): Promise<boolean> {
  const { status } = await server.client(key).get('/monitors')
  assert.ok(status === 200 || status === 401)
  return status === 200
}

async function newKey(person: Person, name: string): Promise<{ id: string; key: string }> {
  return (await person.post('/keys', { name, access: 'full' })).body
}

async function listed({ owner }: TestInstallation, id: string) {
  return (await owner.get('/keys')).body.data.find((key: { id: string }) => key.id === id)
}

/** The attack: an admin creates an API key, is removed, and goes on with the key. */
forEachEngine('API keys of a removed admin', (engine) => {
  const installation = useInstallation(engine)

  const works = (key: string): Promise<boolean> => worksOn(installation, key)

  test('are listed before the removal, and revoked with it', async () => {
    const { owner } = installation
    const admin = await joinByInvitation(installation, 'mallory@example.com', 'ADMIN')
    const [first, second] = [await newKey(admin, 'CI'), await newKey(admin, 'Backdoor')]
    const ofOwner = await newKey(owner, "The owner's")
    const userId = await admin.userId()
    assert.ok(await works(second.key))

    const { body } = await owner.get(`/members/${userId}/keys`)
    assert.deepEqual(
      body.data.map(({ name, createdBy }: { name: string; createdBy: object }) => [name, createdBy]),
      ['CI', 'Backdoor'].map((name) => [name, { userId, name: 'mallory', isMember: true }]),
    )
    const removed = await owner.send('DELETE', `/members/${userId}`, { revokeKeys: ['*'] })
    assert.deepEqual(
      [removed.status, removed.body.data.id, removed.body.revokedKeys],
      [200, userId, [first.id, second.id]],
    )
    assert.ok(!(await works(first.key)) && !(await works(second.key)))
    assert.ok(await works(ofOwner.key), 'keys of others keep working')

    const log = (await owner.get('/v1/audit-log?limit=5')).body.data
    const entries = log.map(({ action, target, targetName }: Record<string, string>) => [action, target, targetName])
    for (const { id, name } of [
      { ...first, name: 'CI' },
      { ...second, name: 'Backdoor' },
    ]) {
      assert.ok(entries.some((entry: unknown) => JSON.stringify(entry) === JSON.stringify(['revokeKey', id, name])))
    }
    assert.ok(entries.some(([action, target]: string[]) => action === 'removeMember' && target === userId))
  })

  test('that are kept are marked as keys of somebody who is no longer a member', async () => {
    const { owner } = installation
    const admin = await joinByInvitation(installation, 'leaver@example.com', 'ADMIN')
    const [kept, ended] = [await newKey(admin, 'Kept'), await newKey(admin, 'Ended')]
    const userId = await admin.userId()
    const removed = await owner.send('DELETE', `/members/${userId}`, { revokeKeys: [ended.id] })
    assert.deepEqual(removed.body.revokedKeys, [ended.id])
    assert.deepEqual([await works(kept.key), await works(ended.key)], [true, false])
    assert.deepEqual((await listed(installation, kept.id)).createdBy, { userId, name: 'leaver', isMember: false })
  })

  test('stay when the removal does not name them, and a wrong id removes nobody', async () => {
    const { owner } = installation
    const admin = await joinByInvitation(installation, 'careless@example.com', 'ADMIN')
    const created = await newKey(admin, 'Kept')
    const ofOwner = await newKey(owner, 'Not theirs')
    const userId = await admin.userId()
    const refused = await owner.send('DELETE', `/members/${userId}`, { revokeKeys: [created.id, ofOwner.id] })
    assert.deepEqual([refused.status, refused.body.error.details[0].path], [400, 'revokeKeys.1'])
    const twice = await owner.send('DELETE', `/members/${userId}`, { revokeKeys: [created.id, created.id] })
    assert.deepEqual([twice.status, twice.body.error.details[0].path], [400, 'revokeKeys.1'])
    assert.ok((await works(created.key)) && (await works(ofOwner.key)))
    assert.equal((await admin.get('/me')).body.organizations.length, 1, 'still a member')
    assert.deepEqual((await owner.delete(`/members/${userId}`)).body.revokedKeys, [])
    assert.ok(await works(created.key))
  })
})

forEachEngine('API keys of people who leave', (engine) => {
  const installation = useInstallation(engine)
  const works = (key: string): Promise<boolean> => worksOn(installation, key)

  test('are revoked by those who leave, whatever their role is then', async () => {
    const { owner } = installation
    const person = await joinByInvitation(installation, 'going@example.com', 'ADMIN')
    const created = await newKey(person, 'Mine')
    const userId = await person.userId()
    assert.equal((await owner.patch(`/members/${userId}`, { role: 'VIEWER' })).status, 200)
    const own = (await person.get('/keys/own')).body.data
    assert.deepEqual(
      own.map(({ id }: { id: string }) => id),
      [created.id],
    )
    assert.equal((await person.get(`/members/${await owner.userId()}/keys`)).status, 403)
    assert.deepEqual((await person.post('/members/leave', { revokeKeys: ['*'] })).body.revokedKeys, [created.id])
    assert.ok(!(await works(created.key)))
  })

  test('the replacement of a key belongs to the person who has seen it', async () => {
    const { owner } = installation
    const admin = await joinByInvitation(installation, 'replacer@example.com', 'ADMIN')
    const { id } = await newKey(owner, "The owner's")
    const replacement = (await admin.post(`/keys/${id}/replace`, { overlapSeconds: 3600 })).body
    assert.equal(replacement.createdBy.name, 'replacer')
    const removed = await owner.send('DELETE', `/members/${await admin.userId()}`, { revokeKeys: ['*'] })
    assert.deepEqual(removed.body.revokedKeys, [replacement.id])
    assert.ok(!(await works(replacement.key)))
  })

  test('cannot be created with a request whose body arrives after the removal', async () => {
    const { owner, server } = installation
    const admin = await joinByInvitation(installation, 'slow@example.com', 'ADMIN')
    const userId = await admin.userId()
    const text = JSON.stringify({ name: 'Too late', access: 'full' })
    const post = startPost(`${server.url}/app/api/keys`, admin, text.length)
    const invite = startPost(`${server.url}/app/api/invitations`, admin, 16)
    await Promise.all([once(post, 'continue'), once(invite, 'continue')])
    // Sent later and checked in the same way: when it is answered, the two above are authorised and wait for their bodies.
    assert.equal((await admin.get('/keys')).status, 200)
    assert.equal((await owner.send('DELETE', `/members/${userId}`, { revokeKeys: ['*'] })).status, 200)
    assert.equal(await finish(post, text), 403)
    assert.equal(await finish(invite, '{"role":"ADMIN"}'), 403)
    const names = (await owner.get('/keys')).body.data.map(({ name }: { name: string }) => name)
    assert.ok(!names.includes('Too late'))
  })

  test('older keys and keys of the operator have no creator', async () => {
    const { server } = installation
    const { keyId } = await server.makeKey(await server.defaultOrgId(), 'full')
    assert.equal((await listed(installation, keyId)).createdBy, null)
  })
})

function startPost(url: string, person: Person, length: number): ClientRequest {
  const sent = request(url, {
    method: 'POST',
    headers: {
      origin: new URL(url).origin,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
      'content-length': length,
      expect: '100-continue',
      cookie: person.cookie as string,
    },
  })
  sent.flushHeaders()
  return sent
}

async function finish(sent: ClientRequest, body: string): Promise<number> {
  const answered = once(sent, 'response')
  sent.end(body)
  const [response] = await answered
  response.resume()
  return response.statusCode
}

forEachEngine('pharos users remove', (engine) => {
  const cli = new CommandLine(engine, { PHAROS_ROLES: 'api' })

  test('revokes the invitations of the user, lists the keys, and revokes them with --revoke-keys', async () => {
    const owner = await claim(cli.server)
    for (const name of ['first', 'second']) {
      const email = `${name}@example.com`
      const { link } = await cli.json(`users create ${email} --role admin`)
      const person = new Person(cli.server)
      const token = new URL(link).searchParams.get('token')
      assert.equal((await person.post('/password-reset', { token, password: PASSWORD })).status, 200)
      const { id, key } = (await person.post('/keys', { name: `Key of ${name}`, access: 'full' })).body
      const client = cli.server.client(key)
      assert.equal((await client.get('/monitors')).status, 200)
      const { link: copied } = (await person.post('/invitations', { role: 'ADMIN' })).body
      if (name === 'first') {
        const text = await cli.text(`users remove ${email} --yes`)
        assert.match(
          text,
          /Removed first@example\.com from Acme\.\nRevoked the pending invitations they created: 1\.\nThese API keys they created are still active; to revoke one/,
        )
        assert.match(text, new RegExp(`${id} {2}Key of first`))
        assert.equal((await client.get('/monitors')).status, 200)
        assert.match(await cli.text('keys list'), /first \(former member\) +Key of first/)
      } else {
        const { keys } = await cli.json(`users remove ${email} --revoke-keys --yes`)
        assert.deepEqual(keys, [{ id, name: 'Key of second', revoked: true }])
        assert.equal((await client.get('/monitors')).status, 401)
      }
      const shown = await new Person(cli.server).get(`/invitations/link?token=${tokenIn(copied)}`)
      assert.equal(shown.status, 404, 'the invitation link')
      assert.match(await cli.refusal(`users remove ${email} --yes`), /is not a member of Acme/)
    }
    const log = await owner.actions(10)
    assert.ok(log.includes('users remove') && log.includes('keys revoke'))
    assert.match(await cli.refusal('users remove owner@example.com --yes'), /last owner/)
    assert.match(await cli.refusal('users remove nobody@example.com --yes'), /User "nobody@example.com" not found/)
  })
})
