import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { expectAccessEnded, plantAccess } from '../accounts/planted-access.ts'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'
import { joinByInvitation, PASSWORD, Person, type TestInstallation } from '../support/person.ts'

forEachEngine('pharos users', (engine) => {
  const cli = new CommandLine(engine, { PHAROS_ROLES: 'api' })

  test('list shows the first user', async () => {
    const token = cli.server.setupToken
    const owner = new Person(cli.server)
    const form = { token, email: 'owner@example.com', password: PASSWORD, organizationName: 'Acme' }
    assert.equal((await owner.post('/setup', form)).status, 201)
    const [user] = await cli.json('users list')
    assert.deepEqual([user.email, user.organizations], ['owner@example.com', [{ slug: 'default', role: 'OWNER' }]])
    assert.match(await cli.text('users list'), /owner@example\.com +owner +default \(owner\)/)
  })

  test('create prints a link that sets the password once', async () => {
    const { link, email } = await cli.json('users create Grace@Example.com --role viewer')
    assert.equal(email, 'Grace@example.com')
    const token = new URL(link).searchParams.get('token')
    const grace = new Person(cli.server)
    assert.equal((await grace.post('/password-reset', { token, password: PASSWORD })).status, 200)
    assert.equal((await grace.get('/me')).body.organizations[0].role, 'VIEWER')
    assert.equal((await new Person(cli.server).post('/password-reset', { token, password: PASSWORD })).status, 404)
    const owner = new Person(cli.server)
    assert.equal((await owner.signIn('owner@example.com')).status, 200)
    const [entry] = (await owner.get('/v1/audit-log?limit=2')).body.data.filter(
      ({ action }: { action: string }) => action === 'users create',
    )
    assert.deepEqual([entry.actor.type, entry.targetName], ['COMMAND_LINE', 'Grace'])
    assert.match(await cli.refusal('users create grace@example.com'), /User grace@example.com already exists/)
    assert.match(await cli.usageError('users create nonsense'), /"nonsense" is not a valid e-mail address/)
    assert.match(await cli.usageError('users create a@b.example --role king'), /Unknown role "king": use owner, /)
  })

  test('reset-password ends all sessions, by link or by file', async () => {
    const person = new Person(cli.server)
    assert.equal((await person.signIn('owner@example.com')).status, 200)
    const { link } = await cli.json('users reset-password owner@example.com')
    assert.equal((await person.get('/me')).status, 200, 'not before it is used')
    const token = new URL(link).searchParams.get('token')
    assert.equal(
      (await new Person(cli.server).post('/password-reset', { token, password: `${PASSWORD}!` })).status,
      200,
    )
    assert.equal((await person.get('/me')).status, 401)
    const file = join(cli.workspace.folder, 'password')
    writeFileSync(file, `${PASSWORD}\n`)
    await cli.text('users reset-password owner@example.com --password-file', file)
    assert.equal((await person.signIn('owner@example.com')).status, 200)
    writeFileSync(file, 'short\n')
    assert.match(await cli.refusal('users reset-password owner@example.com --password-file', file), /10 to 200/)
    assert.match(await cli.refusal('users reset-password nobody@example.com'), /User "nobody@example.com" not found/)
  })
  test('reset-password of a user whose address was never confirmed ends their factors, API keys and invitations', async () => {
    const owner = new Person(cli.server)
    assert.equal((await owner.signIn('owner@example.com')).status, 200)
    const email = 'victim@example.com'
    const attacker = await joinByInvitation({ server: cli.server, owner } as TestInstallation, email, 'ADMIN')
    // Without a mail server no address can be confirmed, so factors are allowed.
    assert.equal((await attacker.get('/me')).body.user.emailVerified, false)
    assert.equal((await attacker.post('/me/email-confirmation/request')).status, 409)
    const planted = await plantAccess(attacker, cli.server)
    assert.match(await cli.text(`users reset-password ${email}`), /^The address was never confirmed, so the new/)
    const file = join(cli.workspace.folder, 'password')
    writeFileSync(file, `${PASSWORD}!\n`)
    const text = await cli.text(`users reset-password ${email} --password-file`, file)
    assert.match(text, /\nTheir address was never confirmed, so this also ended their passkeys/)
    await expectAccessEnded(cli.server, attacker, planted)
    const victim = new Person(cli.server)
    assert.equal((await victim.signIn(email, `${PASSWORD}!`)).status, 200)
    assert.equal((await victim.get('/me')).body.user.emailVerified, true)
    assert.doesNotMatch(await cli.text(`users reset-password ${email}`), /confirmed/)
  })
})
