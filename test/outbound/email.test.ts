import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Email, openEmailPool, smtpFaultOf } from '../../src/outbound/email.ts'
import { subject } from '../../src/outbound/email-subject.ts'
import { closedPort } from '../support/ports.ts'
import { LOGIN, startSmtp } from '../support/smtp-server.ts'

const email: Email = { to: 'ann@example.com', id: 'a.1', subject: subject`S`, text: 'T', html: '<p>T</p>' }

function poolFor(port: number, connections = 3) {
  const url = `smtp://${LOGIN.user}:${encodeURIComponent(LOGIN.password)}@127.0.0.1:${port}`
  const pool = openEmailPool({ url, from: 'Pharos <status@example.com>' }, connections)
  return { ...pool, [Symbol.dispose]: () => pool.close() }
}

const soon = () => AbortSignal.timeout(20_000)

test('only a reply about the recipient is a rejection', () => {
  const rcpt = (response: string) =>
    smtpFaultOf({ code: 'EENVELOPE', command: 'RCPT TO', response, responseCode: Number(response.slice(0, 3)) }).fault
  for (const response of [
    '550 5.1.1 No such user',
    '550 5.2.1 The mailbox is disabled',
    '552 5.2.2 Mailbox full',
    '550 No such user here',
    '553 unknown',
  ]) {
    assert.equal(rcpt(response), 'rejected', response)
  }
  for (const response of [
    '550 5.7.1 Relaying denied',
    '554 5.7.1 Client host blocked',
    '550 relay not permitted',
    '550 Blocked by policy',
    '530 5.7.0 Authentication required',
    '550 5.4.1 Recipient address rejected: Access denied',
    '554 Transaction failed',
    '450 4.2.0 Greylisted',
    '452 4.2.2 Over quota',
  ]) {
    assert.equal(rcpt(response), 'refused', response)
  }
})

test('errors that concern every email are `unreachable`', () => {
  const fault = (code: string, command: string, response: string) =>
    smtpFaultOf({ code, command, response, responseCode: Number(response.slice(0, 3)) }).fault
  assert.equal(fault('EAUTH', 'AUTH PLAIN', '535 5.7.8 Bad credentials'), 'unreachable')
  assert.equal(fault('EENVELOPE', 'MAIL FROM', '550 5.7.1 Sender not allowed'), 'unreachable')
  assert.equal(fault('EENVELOPE', 'RCPT TO', '421 4.7.0 Too many'), 'unreachable')
  assert.equal(fault('EMESSAGE', 'DATA', '554 5.6.0 Looks like spam'), 'refused')
  assert.equal(smtpFaultOf({ code: 'ECONNECTION', message: 'connect ECONNREFUSED' }).fault, 'unreachable')
  assert.match(smtpFaultOf({ code: 'ETIMEDOUT', message: 'a\r\nb' }).error, /^Mail server could not be reached: a b$/)
})

test('many emails share few connections, and a refused one does not stop the others', async () => {
  await using smtp = await startSmtp()
  using pool = poolFor(smtp.port)
  smtp.refuse = (address) => (address.startsWith('gone') ? '550 5.1.1 No such user' : undefined)
  const emails = Array.from({ length: 30 }, (_, i) => ({ ...email, id: `a.${i}`, to: `u${i}@example.com` }))
  emails.splice(10, 0, { ...email, to: 'gone@example.com' })
  const mailed = await Promise.all(emails.map((each) => pool.send(each, soon())))
  assert.deepEqual(mailed[10], {
    ok: false,
    fault: 'rejected',
    error: 'The mail server refused: 550 5.1.1 No such user',
  })
  assert.equal(mailed.filter(({ ok }) => ok).length, 30)
  assert.equal(smtp.mails.length, 30)
  assert.equal(smtp.connections, 3)
})

test('a mail server that restarts is used again', async () => {
  await using smtp = await startSmtp()
  using pool = poolFor(smtp.port, 1)
  assert.deepEqual(await pool.send(email, soon()), { ok: true })
  smtp.isDown = true
  const away = await pool.send(email, soon())
  assert.deepEqual([away.ok, !away.ok && away.fault], [false, 'unreachable'])
  smtp.isDown = false
  assert.deepEqual(await pool.send(email, soon()), { ok: true })
  using nowhere = poolFor(await closedPort())
  const refused = await nowhere.send(email, soon())
  assert.equal(!refused.ok && refused.fault, 'unreachable')
})

test('sending ends when the signal aborts', async () => {
  await using smtp = await startSmtp()
  using pool = poolFor(smtp.port)
  const release = smtp.hold()
  const controller = new AbortController()
  const sending = pool.send(email, controller.signal)
  controller.abort()
  const late = await sending
  assert.deepEqual(late, { ok: false, fault: 'unreachable', error: 'Mail server timed out' })
  const never = await pool.send(email, AbortSignal.abort())
  assert.equal(!never.ok && never.error, 'Sending timed out')
  release()
})

test('a long link in a header arrives unchanged', async () => {
  await using smtp = await startSmtp()
  using pool = poolFor(smtp.port)
  const link = `<https://pharos.example.com/subscriptions/unsubscribe/${'aB3-_.'.repeat(40)}>`
  const headers = { 'List-Unsubscribe': link, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  await pool.send({ ...email, headers, subject: subject`Résolu ✓: ${'障害'}` }, soon())
  const [mail] = smtp.mails
  assert.deepEqual(mail?.headers['list-unsubscribe'], [link])
  assert.deepEqual(mail?.headers['list-unsubscribe-post'], ['List-Unsubscribe=One-Click'])
  assert.deepEqual(mail?.headers.subject, ['Résolu ✓: 障害'])
})
