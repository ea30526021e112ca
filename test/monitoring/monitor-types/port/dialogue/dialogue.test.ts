import assert from 'node:assert/strict'
import dgram from 'node:dgram'
import { once } from 'node:events'
import net from 'node:net'
import { describe, test } from 'node:test'
import tls from 'node:tls'
import type { Dialogue, DialogueStep } from '../../../../../src/contract/check-options.ts'
import { compileExpectation } from '../../../../../src/monitoring/monitor-types/port/dialogue/expectation.ts'
import { presetNamed, presetNames, stepsOf } from '../../../../../src/monitoring/monitor-types/port/dialogue/presets.ts'
import { probePort } from '../../../../../src/monitoring/monitor-types/port/probe.ts'
import { createGuard } from '../../../../../src/outbound/guard.ts'
import { listen, never } from '../../../../outbound/fixtures.ts'
import { makeAuthority } from '../../../../support/certificates.ts'
import { closedPort } from '../../../../support/ports.ts'
import { shownSample } from '../../../../support/reasons.ts'
import { targetOf } from '../../target.ts'

const authority = makeAuthority('Dialogues')
const credentials = authority.issue({ hosts: ['127.0.0.1'] })
const guard = createGuard({ policy: 'allow', ca: [authority.cert] })

const probe = (port: number, dialogue: Dialogue, parts: object = {}) =>
  shownSample(probePort(targetOf({ host: '127.0.0.1', port, timeoutMs: 10_000, dialogue, ...parts }), { guard }, never))

/** Sends the replies one by one: the first at once if `greets`, each other one after something was received. */
function replay(socket: net.Socket, replies: readonly string[], greets: boolean): void {
  const left = replies.map((reply) => Buffer.from(reply, 'latin1'))
  const answer = (): void => {
    const reply = left.shift()
    if (reply !== undefined) socket.write(reply)
  }
  socket.on('error', () => undefined).on('data', answer)
  if (greets) answer()
}

/** Replies as the protocols define them, one text per step that expects something. presets.test.ts asks real servers. */
const recorded: Readonly<Record<string, readonly string[]>> = {
  SMTP: [
    '220 mail.example ESMTP Exim 4.96\r\n',
    '250-mail.example Hello\r\n250-SIZE\r\n250 HELP\r\n',
    '221 closing\r\n',
  ],
  IMAP: ['* OK [CAPABILITY IMAP4rev1] ready.\r\n', '* CAPABILITY IMAP4rev1\r\na1 OK done\r\n', '* BYE Logging out\r\n'],
  POP3: ['+OK Dovecot ready.\r\n', '+OK Logging out\r\n'],
  FTP: ['220 (vsFTPd 3.0.3)\r\n', '221 Goodbye.\r\n'],
  SSH: ['SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u7\r\n'],
  REDIS: ['+PONG\r\n'],
  MEMCACHED: ['VERSION 1.6.18\r\n'],
  MYSQL: [
    '\x59\x00\x00\x00\x0a5.5.5-10.11.14-MariaDB\x00\x1f\x00\x00\x00',
    "\x48\x00\x00\x02\xff\x15\x04#28000Access denied for user 'pharos'",
  ],
  POSTGRESQL: ['R\x00\x00\x00\x17\x00\x00\x00\x0aSCRAM-SHA-256\x00\x00'],
  MONGODB: ['\x2d\x00\x00\x00\x01\x00\x00\x00\x01ok\x00\x00\x00\x00\x00\x00\x00\xf0\x3f\x00'],
  AMQP: ['\x01\x00\x00\x00\x00\x01\xd5\x00\x0a\x00\x0a\x00\x09\x00\x00'],
  MQTT: ['\x20\x02\x00\x05'],
  LDAP: ['\x30\x0c\x02\x01\x01\x61\x07\x0a\x01\x00\x04\x00\x04\x00'],
  NTP: [`\x24\x08\x00\xe9${'\x00'.repeat(44)}`],
  SIP: ['SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP pharos.invalid;rport=5060\r\n\r\n'],
  STEAM_A2S: ['\xff\xff\xff\xffA\x4b\xa1\xd5\x22'],
  DNS: ['\x00\x11PH\x81\x85\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x01'],
}

describe('presets', { concurrency: true }, () => {
  for (const preset of presetNames) {
    const transport = presetNamed(preset)?.TCP === undefined ? 'UDP' : 'TCP'
    test(`${preset} over ${transport} takes the replies of a real server, and not those of another one`, async () => {
      const steps = stepsOf({ transport, preset }) ?? []
      const replies = recorded[preset] ?? []
      const greets = steps[0]?.send === undefined && steps[0]?.sendHex === undefined
      const check = async (given: readonly string[], timeoutMs: number) => {
        if (transport === 'UDP') return await probeUdp({ transport, preset }, given[0] as string, timeoutMs)
        await using server = await listen(net.createServer((socket) => replay(socket, given, greets)))
        return await probe(server.port, { transport, preset }, { timeoutMs })
      }
      const sample = await check(replies, 10_000)
      assert.equal(sample.outcome, 'success', JSON.stringify(sample))
      const wrong = await check(['HTTP/1.1 400 Bad Request\r\n\r\n'], 1000)
      assert.partialDeepStrictEqual(wrong, { outcome: 'failure', code: 'KEYWORD' })
    })
  }
})

async function probeUdp(dialogue: Dialogue, reply: string, timeoutMs: number) {
  const server = dgram.createSocket('udp4')
  server.on('message', (_, { port, address }) => server.send(Buffer.from(reply, 'latin1'), port, address))
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await probe(server.address().port, dialogue, { timeoutMs })
  } finally {
    server.close()
  }
}

test('every preset has at most ten steps with valid patterns, for each of its transports', () => {
  for (const preset of presetNames) {
    for (const [transport, steps] of Object.entries(presetNamed(preset) ?? {})) {
      assert.ok(steps.length > 0 && steps.length <= 10)
      assert.equal(
        steps.some(({ startTls }: DialogueStep) => startTls === true),
        transport === 'STARTTLS',
        preset,
      )
      for (const { expect, sendHex } of steps) {
        if (expect !== undefined) compileExpectation(expect)
        if (sendHex !== undefined) assert.equal(Buffer.from(sendHex, 'hex').length * 2, sendHex.length)
      }
    }
  }
})

test('after STARTTLS the dialogue is encrypted, the certificate is verified, and earlier plain text does not count', async () => {
  const received: string[] = []
  const answers: Readonly<Record<string, string>> = { 'EHLO pharos': '250 ok\r\n', QUIT: '221 bye\r\n' }
  await using server = await listen(
    net.createServer((plain) => {
      plain.on('error', () => undefined)
      plain.write('220 ready\r\n')
      plain.once('data', () => {
        plain.write('250 STARTTLS\r\n')
        plain.once('data', () => {
          plain.removeAllListeners('data')
          // An attacker on the way adds replies to those that are encrypted.
          plain.write('220 go ahead\r\n250 injected\r\n221 injected\r\n')
          const secured = new tls.TLSSocket(plain, { isServer: true, ...credentials })
          secured.on('error', () => undefined)
          secured.on('data', (bytes) => {
            received.push(`${bytes}`.trim())
            secured.write(answers[`${bytes}`.trim()] ?? '500\r\n')
          })
        })
      })
    }),
  )
  const dialogue: Dialogue = { transport: 'STARTTLS', preset: 'SMTP' }
  const sample = await probe(server.port, dialogue)
  assert.equal(sample.outcome, 'success', JSON.stringify(sample))
  assert.ok(sample.outcome === 'success' && sample.certificate !== undefined && sample.timings?.tlsMs !== undefined)
  assert.deepEqual(received, ['EHLO pharos', 'QUIT'])
  const stranger = createGuard({ policy: 'allow' })
  const target = targetOf({ host: '127.0.0.1', port: server.port, dialogue })
  const untrusted = await shownSample(probePort(target, { guard: stranger }, never))
  assert.partialDeepStrictEqual(untrusted, { outcome: 'failure', code: 'TLS' })
  const unverified = await shownSample(probePort({ ...target, verifySsl: false }, { guard: stranger }, never))
  assert.equal(unverified.outcome, 'success')
})

test('a failure names the step and what it waited for, and shows the reply escaped and shortened', async () => {
  const steps: readonly DialogueStep[] = [{ expect: 'ready' }, { send: 'secret\n', expect: '/^OK/' }]
  const failureOf = async (replies: readonly string[], ends = false) => {
    await using server = await listen(
      net.createServer((socket) => {
        replay(socket, replies, true)
        if (ends) socket.once('data', () => socket.end())
      }),
    )
    const sample = await probe(server.port, { transport: 'TCP', steps }, { timeoutMs: 1000 })
    assert.ok(sample.outcome === 'failure')
    return [sample.code, sample.kind, sample.error]
  }
  assert.deepEqual(await failureOf([]), [
    'TIMEOUT',
    'connection',
    'Step 1: expected "ready", received nothing within 1 s',
  ])
  assert.deepEqual(await failureOf(['ready', `no\r\n\x00${'x'.repeat(500)}`]), [
    'KEYWORD',
    'content',
    `Step 2: expected /^OK/, received "no\\r\\n\\x00${'x'.repeat(115)}…" within 1 s`,
  ])
  assert.deepEqual(await failureOf(['ready', 'no'], true), [
    'KEYWORD',
    'content',
    'Step 2: expected /^OK/, received "no"; the connection was closed',
  ])
})

test('a reply that arrives in single bytes is found', async () => {
  await using server = await listen(
    net.createServer(async (socket) => {
      socket.setNoDelay(true).on('error', () => undefined)
      for (const byte of '220 mail ready') {
        socket.write(byte)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    }),
  )
  const sample = await probe(server.port, { transport: 'TCP', steps: [{ expect: '/ready$/' }] })
  assert.equal(sample.outcome, 'success', JSON.stringify(sample))
})

test('a reply without end and a pattern that takes too long end the dialogue', async () => {
  await using endless = await listen(
    net.createServer((socket) => {
      const chunk = Buffer.alloc(16 * 1024, 'ab')
      const more = (): void => void (!socket.destroyed && socket.write(chunk, more))
      socket.on('error', () => undefined)
      more()
    }),
  )
  const tooLong = await probe(endless.port, { transport: 'TCP', steps: [{ expect: 'nothing' }] })
  assert.ok(tooLong.outcome === 'failure' && tooLong.error.endsWith('the replies are longer than 64 KiB'))
  const hostile = '/(a[ab]{400}|b[ab]{399}a)[c-z]$/'
  const tooCostly = await probe(endless.port, { transport: 'TCP', steps: [{ expect: hostile }] })
  assert.ok(tooCostly.outcome === 'failure' && tooCostly.code === 'KEYWORD')
})

test('UDP passes the address guard, and a closed port is reported at once', async () => {
  const dialogue: Dialogue = { transport: 'UDP', preset: 'NTP' }
  const port = await closedPort()
  const closed = await probe(port, dialogue)
  assert.partialDeepStrictEqual(closed, {
    outcome: 'failure',
    code: 'CONNECT',
    error: `Connection refused by 127.0.0.1:${port}`,
  })
  const target = targetOf({ host: '127.0.0.1', port, dialogue })
  const blocked = await shownSample(probePort(target, { guard: createGuard({ policy: 'deny' }) }, never))
  assert.ok(blocked.outcome === 'failure' && blocked.error.includes('does not allow'))
})
