import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addToken } from '../../src/accounts/users/tokens.ts'
import { HOUR_MS } from '../../src/lib/clock.ts'
import { hashPassword } from '../../src/lib/passwords.ts'
import { expectAccessEnded, plantAccess } from '../accounts/planted-access.ts'
import { forEachEngine } from '../support/engines.ts'
import { OWNER, PASSWORD, Person, tokenIn } from '../support/person.ts'
import { addSecondFactor } from '../support/second-factor.ts'
import { joinByMail, linkIn, mailedToken, unconfirm, useMailInstallation } from './mail-installation.ts'

const VICTIM = 'victim@corp.example'
const NEW_PASSWORD = 'the password of the victim'

/** The attack: somebody accepts a link with the address of a victim, and waits until the victim uses the account. */
forEachEngine('takeover in advance:', (engine) => {
  const installation = useMailInstallation(engine)

  test('a link that is accepted with the address of somebody else creates no account and joins nobody, until the owner of the address opens the mailed link', async () => {
    const { owner, server, visitor, mailsTo } = installation.now
    const token = tokenIn((await owner.post('/invitations', { role: 'ADMIN' })).body.link)
    const attacker = visitor('203.0.113.9')
    const answer = await attacker.post('/invitations/accept', { token, email: VICTIM, password: PASSWORD })
    assert.deepEqual([answer.status, answer.body], [200, { next: 'CONFIRM', userId: null, organizationId: null }])
    assert.equal(attacker.cookie, undefined)
    assert.equal((await attacker.signIn(VICTIM)).status, 401)
    assert.equal((await owner.get('/members')).body.data.length, 1)

    const mailed = await mailedToken(installation.now, VICTIM)
    assert.match(String(mailsTo(VICTIM)[0]?.headers.subject), /^Confirm your address to join Acme on Pharos$/)
    const victim = new Person(server)
    const { body: shown } = await victim.get(`/invitations/link?token=${mailed}`)
    assert.deepEqual([shown.email, shown.confirmsAddress, shown.hasAccount], [VICTIM, false, false])
    const form = { token: mailed, email: 'else@example.com', password: NEW_PASSWORD }
    assert.equal((await victim.post('/invitations/accept', form)).body.next, 'DONE')
    const { user } = (await victim.get('/me')).body
    assert.deepEqual([user.email, user.emailVerified], [VICTIM, true])
    assert.equal((await attacker.signIn(VICTIM)).status, 401, 'the password of the attacker was never stored')
    for (const used of [token, mailed]) {
      assert.equal((await attacker.get(`/invitations/link?token=${used}`)).status, 404)
    }
  })

  test('accepting a link gives the same answer for an address that has an account', async () => {
    const { owner, server, visitor } = installation.now
    const token = tokenIn((await owner.post('/invitations', { role: 'MEMBER' })).body.link)
    const attacker = visitor('203.0.113.10')
    const answers = []
    for (const email of ['nobody@corp.example', OWNER]) {
      const { status, body } = await attacker.post('/invitations/accept', { token, email, password: PASSWORD })
      answers.push({ status, body })
    }
    assert.deepEqual(answers[0], answers[1])
    const { body: shown } = await attacker.get(`/invitations/link?token=${token}`)
    assert.deepEqual([shown.confirmsAddress, shown.hasAccount], [true, false])
    const mailed = await mailedToken(installation.now, OWNER)
    assert.equal((await attacker.get(`/invitations/link?token=${mailed}`)).body.hasAccount, true)
    const taken = await attacker.post('/invitations/accept', { token: mailed, password: PASSWORD })
    assert.deepEqual([taken.status, taken.body.error.code], [409, 'conflict'])
    // A user with a confirmed address joins at once, also with the link that was not mailed.
    const signedIn = new Person(server)
    await signedIn.signIn(OWNER)
    assert.equal(
      (await signedIn.post('/invitations/accept', { token })).body.error.code,
      'conflict',
      'a member already',
    )
  })

  test('accepting a link is limited like mailed invitations, and its e-mail cannot be forged', async () => {
    const { owner, visitor } = installation.now
    const token = tokenIn((await owner.post('/invitations', { role: 'MEMBER' })).body.link)
    const statuses = []
    for (let i = 0; i < 4; i += 1) {
      const form = { token, email: `flood+${i}@corp.example` }
      statuses.push((await visitor(`198.51.100.${i}`).post('/invitations/accept', form)).status)
    }
    assert.deepEqual(statuses, [200, 200, 200, 429])
    const mailed = await mailedToken(installation.now, 'flood+0@corp.example')
    const forged = `${mailed.slice(0, -4)}AAAA`
    assert.equal((await visitor('203.0.113.11').get(`/invitations/link?token=${forged}`)).status, 404)
  })

  test('an account with an unconfirmed address loses factors, sessions, API keys and invitations when its password is reset by e-mail', async () => {
    const { owner, server, clock, received } = installation.now
    const email = 'taken@corp.example'
    const attacker = await joinByMail(installation.now, email)
    const planted = await plantAccess(attacker, server)
    await addSecondFactor(attacker, clock)
    await unconfirm(server, email)

    const victim = new Person(server)
    await victim.post('/password-reset/request', { email })
    const { text } = await received(email, 2)
    const form = { token: tokenIn(linkIn(text)), password: NEW_PASSWORD }
    const { body } = await victim.post('/password-reset', form)
    await expectAccessEnded(server, attacker, planted)
    assert.ok(body.userId !== null && body.challenge === undefined, 'no second factor is asked for')
    assert.match(text, /never confirmed/)
    const { passkeys, totp, recoveryCodesLeft } = (await victim.get('/me/security')).body
    assert.deepEqual([passkeys, totp, recoveryCodesLeft], [[], null, 0])
    assert.equal((await victim.get('/me')).body.user.emailVerified, true)
    assert.deepEqual(await owner.actions(3), ['reclaimAccount', 'deleteInvitation', 'revokeKey'])
  })
})

/** The same attack by a sign-up. */
forEachEngine('sign-up in advance:', (engine) => {
  const installation = useMailInstallation(engine)

  test('a sign-up with the address of somebody else takes no password: its owner chooses it with the mailed link', async () => {
    const { server, visitor } = installation.now
    const email = 'signed-up@corp.example'
    const attacker = visitor('203.0.113.12')
    const form = { email, organizationName: 'Corp' }
    const { status, body } = await attacker.post('/sign-up', { ...form, password: PASSWORD })
    assert.deepEqual([status, body.error.details[0].path], [400, 'password'])
    assert.deepEqual((await attacker.post('/sign-up', form)).body, { next: 'CONFIRM' })
    const token = await mailedToken(installation.now, email)
    const victim = new Person(server)
    assert.equal((await victim.post('/sign-up/confirm', { token, password: NEW_PASSWORD })).status, 200)
    assert.equal((await victim.get('/me')).body.user.email, email)
    assert.equal((await attacker.signIn(email)).status, 401)
    assert.equal((await attacker.signIn(email, NEW_PASSWORD)).status, 200)
  })

  test('a password that an earlier version stored with a sign-up is not used', async () => {
    const { server } = installation.now
    const email = 'pending@corp.example'
    const passwordHash = await hashPassword(PASSWORD, { lane: 'known', key: '203.0.113.13' })
    const data = JSON.stringify({ email, passwordHash, organizationName: 'Corp' })
    const pending = { purpose: 'SIGN_UP', userId: null, data } as const
    const now = installation.now.clock.now()
    const token = await server.running.database.write(() => addToken(pending, now, HOUR_MS))
    const victim = new Person(server)
    assert.equal((await victim.post('/sign-up/confirm', { token })).status, 400)
    assert.equal((await victim.post('/sign-up/confirm', { token, password: NEW_PASSWORD })).status, 200)
    assert.equal((await new Person(server).signIn(email)).status, 401)
    assert.equal((await new Person(server).signIn(email, NEW_PASSWORD)).status, 200)
  })
})
