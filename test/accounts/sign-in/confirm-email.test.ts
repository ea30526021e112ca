import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { joinByMail, mailedToken, unconfirm, useMailInstallation } from '../../attacks/mail-installation.ts'
import { forEachEngine } from '../../support/engines.ts'
import { PASSWORD, Person, tokenIn } from '../../support/person.ts'
import { addSecondFactor } from '../../support/second-factor.ts'
import { Authenticator, originOf } from '../authenticator.ts'

forEachEngine('with a mail server, a user whose address is not confirmed', (engine) => {
  const installation = useMailInstallation(engine)

  /** Somebody who joined when there was no mail server. */
  const unconfirmed = async (email: string): Promise<Person> => {
    const person = await joinByMail(installation.now, email)
    await unconfirm(installation.now.server, email)
    return person
  }

  test('can add a factor only after confirming it, in a session of their own', async () => {
    const { server, clock } = installation.now
    const email = 'early@corp.example'
    const person = await joinByMail(installation.now, email)
    const begun = (await person.post('/me/passkeys/options', { password: PASSWORD })).body
    await unconfirm(server, email)
    for (const path of ['/me/totp', '/me/passkeys/options']) {
      const { status, body } = await person.post(path, { password: PASSWORD })
      assert.deepEqual([status, body.error.code], [409, 'conflict'], path)
      assert.match(body.error.message, /Confirm your e-mail address first/)
    }
    const response = new Authenticator({ origin: originOf({ server }) }).create(begun.options)
    assert.equal((await person.post('/me/passkeys', { token: begun.token, name: 'A', response })).status, 409)

    assert.deepEqual((await person.post('/me/email-confirmation/request')).body, { sent: true })
    const token = await mailedToken(installation.now, email, 2)
    assert.equal((await new Person(server).post('/me/email-confirmation', { token })).status, 401)
    const stranger = await joinByMail(installation.now, 'stranger@corp.example')
    assert.equal((await stranger.post('/me/email-confirmation', { token })).status, 404, 'the link of another user')
    assert.equal((await stranger.post('/me/email-confirmation/request')).status, 409, 'confirmed already')
    assert.equal((await person.post('/me/email-confirmation', { token: token.slice(0, -8) })).status, 404)
    assert.equal((await person.post('/me/email-confirmation', { token })).body.emailVerified, true)
    await addSecondFactor(person, clock)
  })

  test('cannot confirm it with a link that has expired', async () => {
    const { clock } = installation.now
    const email = 'late@corp.example'
    const person = await unconfirmed(email)
    await person.post('/me/email-confirmation/request')
    const token = await mailedToken(installation.now, email, 2)
    clock.advance(DAY_MS)
    assert.equal((await person.post('/me/email-confirmation', { token })).status, 404)
  })

  test('joins by a link only after confirming it', async () => {
    const { owner } = installation.now
    const email = 'second@corp.example'
    const person = await unconfirmed(email)
    const { slug } = (await owner.post('/organizations', { name: 'Second' })).body
    owner.organization = slug
    const token = tokenIn((await owner.post('/invitations', { role: 'MEMBER' })).body.link)
    owner.organization = 'default'
    assert.equal((await person.post('/invitations/accept', { token })).body.next, 'CONFIRM')
    assert.equal((await person.get('/me')).body.organizations.length, 1)
    const mailed = await mailedToken(installation.now, email, 2)
    assert.equal((await person.post('/invitations/accept', { token: mailed })).body.next, 'DONE')
    const { user, organizations } = (await person.get('/me')).body
    assert.deepEqual([user.emailVerified, organizations.length], [true, 2])
  })
})
