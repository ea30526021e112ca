import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Message, testMessage } from '../../../../src/notifications/contacts/message.ts'
import { checkSettings } from '../../../../src/notifications/contacts/settings.ts'
import { createEmailSender } from '../../../../src/outbound/email.ts'
import { subject } from '../../../../src/outbound/email-subject.ts'
import { closedPort } from '../../../support/ports.ts'
import { words } from '../../../support/reasons.ts'
import { LOGIN, startSmtp } from '../../../support/smtp-server.ts'
import { AT, alert, expectSent, FROM, hostileNames, hostileNotes, messageOf, READER, send, storm } from '../send.ts'

const settings = { address: 'ops@example.com' }

function mailTo(port: number, password = LOGIN.password) {
  const url = `smtp://${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(password)}@127.0.0.1:${port}`
  return createEmailSender({ url, from: 'Pharos <pharos@example.com>' })
}

const sendBy = ({ port }: { readonly port: number }, message: Message, password?: string) =>
  send('EMAIL', settings, message, { mail: mailTo(port, password) })

test('EMAIL: an outage arrives as text and HTML, with the right sender and recipient', async () => {
  await using server = await startSmtp()
  expectSent(await sendBy(server, messageOf([alert()])))
  const [mail] = server.mails
  assert.deepEqual([mail?.from, mail?.to], ['pharos@example.com', ['ops@example.com']])
  assert.deepEqual(mail?.headers.from, ['Pharos <pharos@example.com>'])
  assert.deepEqual(mail?.headers.to, ['ops@example.com'])
  assert.deepEqual(mail?.headers.subject, ['Checkout is down'])
  assert.deepEqual(mail?.headers['auto-submitted'], ['auto-generated'])
  assert.deepEqual(mail?.headers['message-id'], ['<ntc_1@example.com>'], 'the same when it is sent again')
  for (const body of [mail?.text, mail?.html]) {
    assert.match(body ?? '', /Checkout is down/)
    assert.match(body ?? '', /HTTP 503 Service Unavailable/)
    assert.match(body ?? '', /https:\/\/pharos\.example\.com\/o\/org_1\/incidents\/inc_/)
  }
})

test('EMAIL: the name of a monitor cannot inject headers or markup', async () => {
  await using server = await startSmtp()
  for (const name of hostileNames) {
    const text = { subject: name, reason: words(name), target: name, notes: hostileNotes }
    expectSent(await sendBy(server, messageOf([alert(text)])))
    const mail = server.mails.at(-1)
    assert.deepEqual(mail?.to, ['ops@example.com'])
    assert.deepEqual(Object.keys(mail?.headers ?? {}).sort(), [
      ...['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'],
      'x-auto-response-suppress',
    ])
    const markup = (mail?.html ?? '').replace(/<style>[^<]*<\/style>|<!doctype html>/g, '')
    const tags = markup.replace(
      /<\/?(html|head|body|meta|title|table|tr|td|h1|div|p|span|b|a|ul|ol|li|em|strong|code|pre|br|s|blockquote|h\d)\b( [a-z-]+="[^"<>]*")*>/g,
      '',
    )
    assert.doesNotMatch(tags, /[<>]/)
    assert.ok(mail?.headers.subject?.[0]?.isWellFormed())
  }
})

test('EMAIL: the subject shows host names as they are, and the text says why it was sent', async () => {
  await using server = await startSmtp()
  const message = messageOf([alert({ subject: 'https://api.acme.test:8443/health' })])
  expectSent(await sendBy(server, message))
  const [mail] = server.mails
  assert.deepEqual(mail?.headers.subject, ['https://api.acme.test:8443/health is down'])
  for (const body of [mail?.text, mail?.html]) {
    assert.match(body ?? '', /You get this because you are an alert contact of Acme\./)
  }
})

test('EMAIL: a test says which contact it is for and where it comes from', async () => {
  await using server = await startSmtp()
  const message = testMessage({ name: 'On call', channel: 'EMAIL' }, FROM, READER, 'ntc_t', AT)
  expectSent(await sendBy(server, message))
  const [mail] = server.mails
  assert.deepEqual(mail?.headers.subject, ['Test alert from Acme'])
  for (const body of [mail?.text, mail?.html]) {
    assert.match(body ?? '', /Alerts for On call will arrive at this address/)
    assert.match(body ?? '', /Sent by pharos\.example\.com/)
  }
})

test('EMAIL: a storm is one e-mail of bounded length that counts what it leaves out', async () => {
  await using server = await startSmtp()
  expectSent(await sendBy(server, messageOf(storm())))
  const [mail] = server.mails
  assert.match(mail?.headers.subject?.[0] ?? '', / and 39\d more are down$/)
  for (const body of [mail?.text ?? '', mail?.html ?? '']) {
    const [, missing] = /^… and (\d+) more\r?$/m.exec(body) ?? []
    assert.equal([...body.matchAll(/is down/g)].length + Number(missing), 400)
  }
  assert.ok((mail?.text.length ?? 0) < 25_000)
})

test("EMAIL: a refusal is reported in the mail server's own words", async () => {
  await using server = await startSmtp()
  server.refuseNext = '550 5.1.1 No such user here'
  const refused = await sendBy(server, messageOf([alert()]))
  assert.deepEqual(refused, {
    ok: false,
    error: 'The mail server refused: 550 5.1.1 No such user here',
    retryAfterMs: null,
  })
  const denied = await sendBy(server, messageOf([alert()]), 'wrong')
  assert.match(
    denied.ok ? '' : denied.error,
    /^The mail server refused: 535 5\.7\.8 Authentication credentials invalid$/,
  )
  assert.deepEqual(server.mails, [])
})

test('EMAIL: an unreachable mail server and a missing configuration are different errors', async () => {
  const port = await closedPort()
  const absent = await sendBy({ port }, messageOf([alert()]))
  assert.match(absent.ok ? '' : absent.error, /^Mail server could not be reached: .*ECONNREFUSED/)
  const none = await send('EMAIL', settings, messageOf([alert()]))
  assert.match(none.ok ? '' : none.error, /^No mail server is configured: set PHAROS_SMTP_URL and PHAROS_MAIL_FROM/)
})

test('EMAIL: a mail server that does not answer is given up after the timeout', async () => {
  await using server = await startSmtp()
  server.silent = true
  const mail = mailTo(server.port)
  const letter = { to: 'ops@example.com', id: 'x', subject: subject`s`, text: 't', html: 'h' }
  const mailed = await mail(letter, AbortSignal.timeout(200))
  assert.equal(!mailed.ok && mailed.error, 'Mail server timed out')
})

test('EMAIL: only one plain address is accepted', () => {
  for (const address of ['a@b', 'first.last+tag@sub.example.com', "o'brien@example.org"]) {
    assert.ok('value' in checkSettings('EMAIL', { address }, 'deny'), address)
  }
  for (const address of [
    'a',
    'a@',
    '@b',
    'a@b,c@d',
    'a@b\nBcc: c@d',
    'A <a@b>',
    'a b@c',
    'a@b@c',
    `a@${'b'.repeat(260)}`,
    '"a b"@c',
  ]) {
    assert.ok('faults' in checkSettings('EMAIL', { address }, 'deny'), address)
  }
})
