import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HandClock } from '../support/clock.ts'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'
import { PASSWORD, Person } from '../support/person.ts'
import { App } from '../support/second-factor.ts'

forEachEngine('pharos users reset-second-factor', (engine) => {
  const beside = new CommandLine(engine, { PHAROS_ROLES: 'api' })
  const email = 'ada@example.com'

  test('lets somebody who has lost everything in with the password, ends all sessions, and is recorded', async () => {
    const { link } = await beside.json(`users create ${email} --role owner`)
    const token = new URL(link).searchParams.get('token')
    const ada = new Person(beside.server)
    assert.equal((await ada.post('/password-reset', { token, password: PASSWORD })).status, 200)
    const begun = await ada.post('/me/totp', {})
    const app = new App(begun.body.secret, new HandClock())
    assert.equal((await ada.post('/me/totp/confirm', { code: app.code() })).status, 200)
    assert.equal((await new Person(beside.server).signIn(email)).body.userId, null)

    assert.match(await beside.text(`users reset-second-factor ${email}`), /signs in with the password alone now/)
    assert.equal((await ada.get('/me')).status, 401)
    assert.ok((await ada.signIn(email)).body.userId)
    assert.equal((await ada.get('/me/security')).body.totp, null)
    const [entry] = (await ada.get('/audit-log?limit=1')).body.data
    assert.deepEqual([entry.action, entry.actor.type], ['users reset-second-factor', 'COMMAND_LINE'])
  })

  test('says where there was nothing to remove, and where there is no such user', async () => {
    assert.deepEqual(await beside.json(`users reset-second-factor ${email}`), { email, removed: false })
    assert.match(await beside.refusal('users reset-second-factor nobody@example.com'), /There is no user/)
  })
})
