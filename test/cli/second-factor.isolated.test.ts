import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HandClock } from '../support/clock.ts'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'
import { PASSWORD, Person } from '../support/person.ts'
import { AuthenticatorApp } from '../support/second-factor.ts'

// Isolated: ids of one process never go back in time, so a test with a future clock would sort before those of the command line.
forEachEngine('pharos users reset-second-factor', (engine) => {
  const cli = new CommandLine(engine, { PHAROS_ROLES: 'api' })
  const email = 'ada@example.com'

  test('removes the second factor, ends all sessions, and is in the audit log', async () => {
    const { link } = await cli.json(`users create ${email} --role owner`)
    const token = new URL(link).searchParams.get('token')
    const ada = new Person(cli.server)
    assert.equal((await ada.post('/password-reset', { token, password: PASSWORD })).status, 200)
    const begun = await ada.post('/me/totp', {})
    const app = new AuthenticatorApp(begun.body.secret, new HandClock())
    assert.equal((await ada.post('/me/totp/confirm', { code: app.code() })).status, 200)
    assert.equal((await new Person(cli.server).signIn(email)).body.userId, null)

    assert.match(
      await cli.text(`users reset-second-factor ${email} --yes`),
      /They are signed out and can sign in with their password/,
    )
    assert.equal((await ada.get('/me')).status, 401)
    assert.ok((await ada.signIn(email)).body.userId)
    assert.equal((await ada.get('/me/security')).body.totp, null)
    const [entry] = (await ada.get('/v1/audit-log?limit=1')).body.data
    assert.deepEqual([entry.action, entry.actor.type], ['users reset-second-factor', 'COMMAND_LINE'])
  })

  test('reports that there was nothing to remove, or no such user', async () => {
    assert.deepEqual(await cli.json(`users reset-second-factor ${email} --yes`), { email, removed: false })
    assert.match(
      await cli.refusal('users reset-second-factor nobody@example.com --yes'),
      /User "nobody@example.com" not found/,
    )
  })
})
