import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { createEmailSender, type Email } from '../../src/outbound/email.ts'
import { subject } from '../../src/outbound/email-subject.ts'
import { readConfig } from '../../src/server/config/config.ts'
import { type Credentials, DAY_MS, makeAuthority, makeSelfSigned } from '../support/certificates.ts'
import { listen } from '../support/listener.ts'

const email: Email = { to: 'ann@example.com', id: 'a.1', subject: subject`S`, text: 'T', html: '<p>T</p>' }
const authority = makeAuthority('Test authority')
const trusted = `tls.ca=${encodeURIComponent(authority.cert)}`
/** Leads to this machine, but is not one of its names: it stands for a remote host. */
const REMOTE = '0.0.0.0'
const credentials = authority.issue({ hosts: [REMOTE, '127.0.0.1'] })

interface Behaviour {
  /** Offers STARTTLS. Without it the server knows no such command, as if somebody in between removed the offer. */
  readonly startTls?: Credentials
  /** TLS from the start. */
  readonly tls?: Credentials
  /** Sent unencrypted, in one packet with the answer to STARTTLS. */
  readonly injected?: string
}

/** A mail server that notes what it reads, and how it arrived. */
async function startMailServer({ startTls, tls, injected = '' }: Behaviour) {
  const lines = { plain: [] as string[], encrypted: [] as string[] }
  const secure = (socket: Socket, { cert, key }: Credentials) => {
    const encrypted = new TLSSocket(socket, { isServer: true, cert, key })
    encrypted.on('error', () => socket.destroy())
    return encrypted
  }
  async function converse(socket: Socket, raw: Socket | undefined): Promise<void> {
    const say = (text: string): void => void socket.write(`${text}\r\n`)
    let isData = false
    for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
      lines[raw === undefined ? 'encrypted' : 'plain'].push(line)
      if (isData) {
        isData = line !== '.'
        if (!isData) say('250 queued')
      } else if (/^EHLO/.test(line)) {
        say(`250-mail.test\r\n${raw !== undefined && startTls ? '250-STARTTLS\r\n' : ''}250 AUTH PLAIN`)
      } else if (line === 'STARTTLS' && raw !== undefined && startTls !== undefined) {
        socket.write(`220 go ahead\r\n${injected}`)
        raw.removeAllListeners('data')
        const encrypted = secure(raw, startTls)
        return converse(encrypted, undefined)
      } else if (/^(STARTTLS|[^A-Z])/.test(line)) say('502 5.5.2 Command not recognized')
      else if (/^AUTH/.test(line)) say('235 welcome')
      else if (line === 'DATA') {
        isData = true
        say('354 go ahead')
      } else say('250 ok')
    }
  }
  const listener = await listen(
    createServer((socket) => {
      const input = tls === undefined ? socket : secure(socket, tls)
      input.write('220 mail.test ESMTP\r\n')
      converse(input, tls === undefined ? socket : undefined).catch(() => socket.destroy())
    }),
    REMOTE,
  )
  return Object.assign(lines, { port: listener.port, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() })
}

async function send(port: number, query = '', { host = REMOTE, login = 'user:hush@', scheme = 'smtp' } = {}) {
  const url = `${scheme}://${login}${host}:${port}${query}`
  const { mail } = readConfig({ PHAROS_SMTP_URL: url, PHAROS_MAIL_FROM: 'pharos@example.com' })
  assert.ok(mail)
  const result = await createEmailSender(mail)(email, AbortSignal.timeout(20_000))
  return result.ok ? 'sent' : result.error
}

const SECRETS = /AUTH|ann@example|MAIL FROM|DATA/

test('a login is not sent without TLS to another host, even if the offer of TLS was removed', async () => {
  await using stripped = await startMailServer({})
  assert.match(await send(stripped.port), /^Mail server could not be reached: TLS did not start \(502 /)
  assert.doesNotMatch(stripped.plain.join('\n'), SECRETS)
  assert.match(await send(stripped.port, '?requireTLS=true', { login: '' }), /TLS did not start/)
  assert.doesNotMatch(stripped.plain.join('\n'), SECRETS)
})

test('a login is sent without TLS if the URL asks for it, to this machine, or where there is none', async () => {
  await using plain = await startMailServer({})
  assert.equal(await send(plain.port, '?requireTLS=false'), 'sent')
  assert.equal(await send(plain.port, '?ignoreTLS=true'), 'sent')
  assert.equal(await send(plain.port, '', { host: '127.0.0.1' }), 'sent')
  assert.equal(await send(plain.port, '', { login: '' }), 'sent')
  assert.deepEqual(plain.encrypted, [])
})

test('login and message are encrypted where the server offers TLS, or speaks it from the start', async () => {
  await using offering = await startMailServer({ startTls: credentials })
  for (const login of ['user:hush@', '']) {
    assert.equal(await send(offering.port, `?${trusted}`, { login }), 'sent')
  }
  assert.deepEqual([...new Set(offering.plain.map((line) => line.split(' ')[0]))], ['EHLO', 'STARTTLS'])
  await using speaking = await startMailServer({ tls: credentials })
  assert.equal(await send(speaking.port, `?${trusted}`, { scheme: 'smtps' }), 'sent')
  assert.deepEqual(speaking.plain, [])
})

test('a certificate that is not trusted, expired or for another host ends the connection before the login', async () => {
  const past = { validFrom: new Date(Date.now() - 3 * DAY_MS), validTo: new Date(Date.now() - 2 * DAY_MS) }
  const cases = [
    [makeSelfSigned({ hosts: [REMOTE] }), /self-signed certificate/],
    [makeAuthority('Another authority').issue({ hosts: [REMOTE] }), /unable to (verify|get)/],
    [authority.issue({ hosts: [REMOTE], ...past }), /certificate has expired/],
    [authority.issue({ hosts: ['mail.test'] }), /does not match certificate's altnames/],
  ] as const
  for (const [wrong, reason] of cases) {
    for (const login of ['user:hush@', '']) {
      await using offering = await startMailServer({ startTls: wrong })
      assert.match(await send(offering.port, `?${trusted}`, { login }), reason)
      assert.doesNotMatch([...offering.plain, ...offering.encrypted].join('\n'), SECRETS)
      await using speaking = await startMailServer({ tls: wrong })
      assert.match(await send(speaking.port, `?${trusted}`, { login, scheme: 'smtps' }), reason)
      assert.doesNotMatch(speaking.encrypted.join('\n'), SECRETS)
    }
  }
})

test('replies that arrive before TLS do not count after it', async () => {
  for (const injected of ['250-evil.test\r\n250 AUTH LOGIN\r\n235 welcome\r\n250 queued\r\n', '250 AUTH CRAM-MD5 ']) {
    await using server = await startMailServer({ startTls: credentials, injected })
    assert.equal(await send(server.port, `?${trusted}`), 'sent')
    const commands = server.encrypted.map((line) => line.split(' ', 2).join(' '))
    assert.match(
      commands.join('\n'),
      /^EHLO \S+\nAUTH PLAIN\nMAIL FROM:\S+\nRCPT TO:\S+\nDATA\n/,
      'each waited for its own reply',
    )
    assert.ok(commands.includes('.'))
    assert.doesNotMatch(server.plain.join('\n'), SECRETS)
  }
})

test('a parameter that would be ignored is refused', () => {
  const config = (query: string) => () =>
    readConfig({ PHAROS_SMTP_URL: `smtp://mail.test:587${query}`, PHAROS_MAIL_FROM: 'pharos@example.com' })
  for (const query of ['?requireTls=true', '?requiretls=1', '?secure=true', '?starttls=required']) {
    assert.throws(config(query), /PHAROS_SMTP_URL: has an unknown parameter ".+"; use requireTLS, ignoreTLS/)
  }
  assert.doesNotThrow(config('?requireTLS=true&tls.servername=mail.test&name=pharos.test'))
})
