import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { claim, OWNER, PASSWORD, Person, tokenIn, useInstallation } from '../../support/person.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { LOGIN, type SmtpServer, startSmtp } from '../../support/smtp-server.ts'

forEachEngine('with a mail server', (engine) => {
  const clock = new HandClock()
  let smtp: SmtpServer
  let server: TestServer
  let owner: Person
  before(async () => {
    smtp = await startSmtp()
    const { user, password } = LOGIN
    const url = `smtp://${user}:${encodeURIComponent(password)}@127.0.0.1:${smtp.port}`
    const mail = { PHAROS_SMTP_URL: url, PHAROS_MAIL_FROM: 'Pharos <pharos@example.com>' }
    server = await startTestServer(engine, {
      clock,
      env: { PHAROS_ROLES: 'api,sender', PHAROS_OPEN_SIGNUP: 'true', ...mail },
    })
    owner = await claim(server, OWNER)
  })
  after(async () => {
    await server.stop()
    await smtp[Symbol.asyncDispose]()
  })
  const mailTo = (address: string, count = 1) =>
    eventually(async () => {
      const mails = smtp.mails.filter(({ to }) => to.includes(address))
      assert.equal(mails.length, count)
      const link = /https?:\/\/\S+/.exec(mails.at(-1)?.text.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '')?.[0]
      return { link: link as string, mail: mails.at(-1) }
    })

  test('a password is reset by a single-use link, and all sessions end', async () => {
    const visitor = new Person(server)
    assert.deepEqual((await visitor.post('/password-reset/request', { email: OWNER })).body, { sent: true })
    const { link } = await mailTo(OWNER)
    const token = tokenIn(link)
    assert.equal((await owner.get('/me')).status, 200)
    assert.equal((await visitor.post('/password-reset', { token, password: `${PASSWORD}?` })).status, 200)
    assert.equal((await owner.get('/me')).status, 401)
    assert.equal((await visitor.get('/me')).status, 200)
    assert.equal((await new Person(server).post('/password-reset', { token, password: PASSWORD })).status, 404)
    assert.equal((await owner.signIn(OWNER, `${PASSWORD}?`)).status, 200)
  })

  test('an admin sends a test mail to their own address, and reads what the mail server says', async () => {
    assert.deepEqual((await owner.get('/organization/mail')).body, { missing: [] })
    const before = smtp.mails.length
    const sent = await owner.post('/organization/test-mail')
    assert.deepEqual([sent.status, sent.body], [200, { to: OWNER, sent: true, error: null }])
    assert.deepEqual(smtp.mails[before]?.to, [OWNER])
    smtp.refuseNext = '451 4.3.0 Try later'
    const refused = (await owner.post('/organization/test-mail')).body
    assert.deepEqual([refused.sent, /Try later/.test(refused.error)], [false, true])
  })

  test('an unknown address gets no mail and the same answer', async () => {
    const { status, body } = await new Person(server).post('/password-reset/request', { email: 'nobody@example.com' })
    assert.deepEqual([status, body], [200, { sent: true }])
    assert.ok(!smtp.mails.some(({ to }) => to.includes('nobody@example.com')))
  })

  test('a reset link expires after an hour', async () => {
    clock.advance(HOUR_MS)
    await new Person(server).post('/password-reset/request', { email: OWNER })
    const { link } = await mailTo(OWNER, 3)
    clock.advance(HOUR_MS)
    const form = { token: tokenIn(link), password: PASSWORD }
    assert.equal((await new Person(server).post('/password-reset', form)).status, 404)
  })

  test('mails to one address are limited', async () => {
    const answers = []
    for (let i = 0; i < 4; i += 1) {
      answers.push((await new Person(server).post('/password-reset/request', { email: 'full@example.com' })).status)
    }
    assert.deepEqual(answers, [200, 200, 200, 429])
  })

  test('the link of a mailed invitation is not in the answer', async () => {
    const { body } = await owner.post('/invitations', { role: 'VIEWER', email: 'guest@example.com' })
    assert.equal(body.link, null)
    const { link, mail } = await mailTo('guest@example.com')
    assert.match(String(mail?.headers.subject), /^Invitation to Acme on Pharos$/)
    const guest = new Person(server)
    assert.equal((await guest.post('/invitations/accept', { token: tokenIn(link), password: PASSWORD })).status, 200)
    assert.equal((await guest.get('/me')).body.user.emailVerified, true)
  })

  test('sign-up creates the user and an organization with the sign-up plan once the mailed link was used to choose a password', async () => {
    const visitor = new Person(server)
    const form = { email: 'Fresh@example.com', organizationName: 'Fresh Ltd', name: 'Fay' }
    assert.deepEqual((await visitor.post('/sign-up', form)).body, { next: 'CONFIRM' })
    assert.equal(visitor.cookie, undefined)
    const { link } = await mailTo('Fresh@example.com')
    const confirm = { token: tokenIn(link), password: PASSWORD }
    assert.equal((await visitor.post('/sign-up/confirm', { ...confirm, password: 'short' })).status, 400)
    assert.equal((await visitor.post('/sign-up/confirm', confirm)).status, 200)
    const { body: me } = await visitor.get('/me')
    assert.deepEqual([me.user.email, me.user.name, me.user.emailVerified], ['Fresh@example.com', 'Fay', true])
    assert.deepEqual(
      me.organizations.map(({ name, plan, role }: Record<string, string>) => [name, plan, role]),
      [['Fresh Ltd', 'FREE', 'OWNER']],
    )
    assert.equal((await new Person(server).post('/sign-up/confirm', confirm)).status, 404)
    const again = await new Person(server).post('/sign-up', { ...form, email: 'guest@example.com' })
    assert.deepEqual(
      [again.status, again.body],
      [200, { next: 'CONFIRM' }],
      'the answer does not reveal that the user exists',
    )
    const { mail } = await mailTo('guest@example.com', 2)
    assert.match(String(mail?.headers.subject), /You already have an account/)
  })
})

forEachEngine('without a mail server', (engine) => {
  const installation = useInstallation(engine)

  test('a reset is refused with the command to use instead, and sign-up is closed', async () => {
    const reset = await new Person(installation.server).post('/password-reset/request', { email: OWNER })
    assert.deepEqual([reset.status, reset.body.error.code], [409, 'conflict'])
    assert.match(reset.body.error.message, /pharos users reset-password/)
    const form = { email: 'a@example.com', password: PASSWORD, organizationName: 'A' }
    assert.equal((await new Person(installation.server).post('/sign-up', form)).status, 404)
    assert.equal((await installation.owner.post('/organizations', { name: 'B' })).status, 403)
  })
})

forEachEngine('open sign-up without a mail server', (engine) => {
  const installation = useInstallation(engine, { env: { PHAROS_OPEN_SIGNUP: 'true', PHAROS_SIGNUP_PLAN: 'PRO' } })

  test('creates the user immediately, and refuses an existing address', async () => {
    const visitor = new Person(installation.server)
    const form = { email: 'a@example.com', password: PASSWORD, organizationName: 'A' }
    assert.deepEqual((await visitor.post('/sign-up', form)).body, { next: 'DONE' })
    assert.equal((await visitor.get('/me')).body.organizations[0].plan, 'PRO')
    assert.equal((await visitor.get('/v1/monitors')).status, 200)
    assert.equal((await new Person(installation.server).post('/sign-up', form)).status, 409)
  })
})
