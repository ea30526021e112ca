import assert from 'node:assert/strict'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createGuard } from '../../src/outbound/guard.ts'
import { openHttpConnection } from '../../src/outbound/http-connection.ts'
import { createHttpSender, type HttpSender } from '../../src/outbound/http-sender.ts'
import { dnsResolver } from '../../src/outbound/name-resolver.ts'
import type { HttpResult, OutgoingRequest } from '../../src/outbound/outgoing-request.ts'
import { makeAuthority } from '../support/certificates.ts'
import { closedPort, listen, NXDOMAIN, OK, raw, startDns, unresponsivePort } from './fixtures.ts'

const open = (options: { timeoutMs?: number } = {}): HttpSender =>
  createHttpSender({ guard: createGuard({ policy: 'allow' }), ...options })

const letterTo = (url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  url,
  headers: {},
  body: '{}',
  ...more,
})
const to = (port: number): string => `http://127.0.0.1:${port}/hook`

function assertAnswered(posted: HttpResult): asserts posted is Extract<HttpResult, { answered: true }> {
  assert.ok(posted.answered, JSON.stringify(posted))
}

function assertUnanswered(
  posted: HttpResult,
  code: string,
): asserts posted is Extract<HttpResult, { answered: false }> {
  assert.ok(!posted.answered, JSON.stringify(posted))
  assert.equal(posted.code, code, posted.error)
  assert.equal(posted.isLocalFault, false)
}

describe('what is sent', () => {
  test('is the body byte for byte, under the headers, method and path of the letter', async () => {
    const seen: { method?: string; url?: string; headers?: http.IncomingHttpHeaders; body?: Buffer } = {}
    await using receiver = await listen(
      http.createServer(async (request, response) => {
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk)
        Object.assign(seen, { method: request.method, url: request.url, headers: request.headers })
        seen.body = Buffer.concat(chunks)
        response.end()
      }),
    )
    const body = '{"text":"Grüße, \\u0000 und 🎉"}'
    const poster = open()
    const url = `http://127.0.0.1:${receiver.port}/a%20b/ü?q=1&r=%2F#part`
    const posted = await poster.send(letterTo(url, { method: 'PUT', headers: { 'x-one': 'two' }, body }))
    poster.close()
    assertAnswered(posted)
    assert.equal(seen.method, 'PUT')
    assert.equal(seen.url, '/a%20b/%C3%BC?q=1&r=%2F')
    assert.equal(seen.headers?.['x-one'], 'two')
    assert.equal(seen.headers?.['content-length'], String(Buffer.byteLength(body)))
    assert.equal(seen.headers?.host, `127.0.0.1:${receiver.port}`)
    assert.equal(seen.body?.toString('utf8'), body)
  })

  test('goes over TLS to a server that bears the name, and to no other', async () => {
    const authority = makeAuthority('Test authority')
    await using receiver = await listen(
      https.createServer(authority.issue({ hosts: ['hooks.test'] }), (_request, response) => response.end('hello')),
    )
    await using dns = await startDns((_name, type) => ({ addresses: type === 'A' ? ['127.0.0.1'] : [] }))
    const guard = createGuard({ policy: 'allow', resolver: dnsResolver(dns.resolver), ca: [authority.cert] })
    const poster = createHttpSender({ guard })
    const good = await poster.send(letterTo(`https://hooks.test:${receiver.port}/`))
    const bad = await poster.send(letterTo(`https://other.test:${receiver.port}/`))
    const untrusted = await open().send(letterTo(`https://127.0.0.1:${receiver.port}/`))
    poster.close()
    assertAnswered(good)
    assert.equal(good.body, 'hello')
    assertUnanswered(bad, 'TLS')
    assert.match(bad.error, /not valid for other\.test/)
    assertUnanswered(untrusted, 'TLS')
  })
})

describe('what comes back', () => {
  async function answerTo(text: string | Buffer): Promise<HttpResult> {
    await using receiver = await listen(raw((socket) => socket.end(text)))
    const poster = open({ timeoutMs: 2_000 })
    const posted = await poster.send(letterTo(to(receiver.port)))
    poster.close()
    return posted
  }

  test('is told with its status and Retry-After; a redirect is an answer like any other', async () => {
    await using elsewhere = await listen(http.createServer())
    const head = `Location: http://127.0.0.1:${elsewhere.port}/\r\nRetry-After: 17\r\nContent-Length: 0`
    const posted = await answerTo(`HTTP/1.1 307 Temporary Redirect\r\n${head}\r\n\r\n`)
    assertAnswered(posted)
    assert.equal(posted.status, 307)
    assert.equal(posted.retryAfter, '17')
    assert.equal(elsewhere.connections(), 0)
  })

  test('is kept up to 4096 characters, as text that every database can store', async () => {
    const long = await answerTo(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(4095)}🎉🎉`)
    assertAnswered(long)
    assert.equal(long.body, 'x'.repeat(4095), 'half a character is left out')
    const dirty = await answerTo(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\na\0b'), Buffer.from([0xff, 0xfe])]))
    assertAnswered(dirty)
    assert.equal(dirty.body, 'ab\ufffd\ufffd')
  })

  test('is no answer when it is not HTTP, breaks off, or has a head without end', async () => {
    assertUnanswered(await answerTo('SSH-2.0-OpenSSH_9.9\r\n\r\n'), 'CONNECT')
    assertUnanswered(await answerTo('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'), 'CONNECT')
    assertUnanswered(await answerTo(''), 'CONNECT')
    assertUnanswered(await answerTo(`HTTP/1.1 200 OK\r\n${'X-Filler: aaaaaaaaaaaaaaaa\r\n'.repeat(5_000)}`), 'CONNECT')
    assertUnanswered(
      await answerTo('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      'CONNECT',
    )
  })
})

describe('a receiver that does not answer', () => {
  const within = (posted: HttpResult, timeoutMs: number) =>
    assert.ok(posted.durationMs >= timeoutMs - 50 && posted.durationMs < timeoutMs + 1_500, `${posted.durationMs} ms`)

  test('costs no more than the time allowed, whatever it does', async () => {
    const timeoutMs = 600
    const drip = (head: string) => (socket: net.Socket) => {
      socket.write(head)
      const timer = setInterval(() => socket.write('x'), 50)
      socket.on('close', () => clearInterval(timer))
    }
    const early = (socket: net.Socket): void => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    }
    const tricks: Record<string, (socket: net.Socket) => void> = {
      silence: () => {},
      'a dripping head': drip('HTTP/1.1 200 OK\r\nX-A: '),
      'a dripping body': drip('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n'),
      'a dripping body of chunks': drip('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n'),
      'hints without end': early,
    }
    for (const [name, trick] of Object.entries(tricks)) {
      await using receiver = await listen(raw(trick))
      const poster = open({ timeoutMs })
      const posted = await poster.send(letterTo(to(receiver.port)))
      assertUnanswered(posted, 'TIMEOUT')
      within(posted, timeoutMs)
      await receiver.quiet()
      assert.equal(poster.idleConnections, 0, name)
    }
  })

  test('is a TIMEOUT also when it does not even accept, or takes no letter', async () => {
    await using silent = await unresponsivePort()
    const unheard = await open({ timeoutMs: 400 }).send(letterTo(to(silent.port)))
    assertUnanswered(unheard, 'TIMEOUT')
    await using deaf = await listen(net.createServer((socket) => socket.pause()))
    const stuck = await open({ timeoutMs: 400 }).send(letterTo(to(deaf.port), { body: 'x'.repeat(20_000_000) }))
    assertUnanswered(stuck, 'TIMEOUT')
    within(stuck, 400)
  })

  test('is told apart by what stopped it', async () => {
    assertUnanswered(await open().send(letterTo(to(await closedPort()))), 'CONNECT')
    await using resets = await listen(net.createServer((socket) => socket.resetAndDestroy()))
    assertUnanswered(await open().send(letterTo(to(resets.port))), 'CONNECT')
    await using plain = await listen(net.createServer((socket) => socket.end('hello\r\n')))
    assertUnanswered(await open().send(letterTo(`https://127.0.0.1:${plain.port}/`)), 'TLS')
    await using dns = await startDns(() => NXDOMAIN)
    const guard = createGuard({ policy: 'allow', resolver: dnsResolver(dns.resolver) })
    assertUnanswered(await createHttpSender({ guard }).send(letterTo('http://nowhere.test/')), 'DNS')
    assertUnanswered(await open().send(letterTo('ftp://127.0.0.1/')), 'CONNECT')
    const closed = createHttpSender({ guard: createGuard({ policy: 'deny' }) })
    assertUnanswered(await closed.send(letterTo(to(plain.port))), 'BLOCKED_ADDRESS')
  })

  test('an answer without end is cut off after 64 kB, and counts with its status', async () => {
    let sent = 0
    await using receiver = await listen(
      raw((socket) => {
        const chunk = Buffer.alloc(16_384, 'x')
        const pour = (): void => {
          while (!socket.destroyed && socket.write(chunk)) sent += chunk.length
        }
        socket.on('drain', pour).write('HTTP/1.1 200 OK\r\n\r\n')
        pour()
      }),
    )
    const poster = open()
    const posted = await poster.send(letterTo(to(receiver.port)))
    assertAnswered(posted)
    assert.equal(posted.status, 200)
    assert.equal(posted.body.length, 4096)
    await receiver.quiet()
    const atEnd = sent
    await delay(50)
    assert.equal(sent, atEnd, 'nothing more is taken')
    assert.equal(poster.idleConnections, 0)
  })

  test('no more than 64 kB of an answer is taken from the connection, but for the rest of the last read', async () => {
    await using receiver = await listen(raw((socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(5_000_000)}`)))
    const signal = new AbortController().signal
    const guard = createGuard({ policy: 'allow' })
    const line = await openHttpConnection(new URL(to(receiver.port)), ['127.0.0.1'], guard, signal)
    const answer = await line.send(letterTo(to(receiver.port)), '/', signal)
    assert.equal(answer.status, 200)
    assert.ok(line.bytesRead >= 65_536 && line.bytesRead <= 2 * 65_536 + 1_000, `${line.bytesRead} bytes`)
    assert.ok(!line.isOpen)
    await receiver.quiet()
  })

  test('a letter whose sender changes its mind is a fault of ours', async () => {
    await using receiver = await listen(raw(() => {}))
    const mind = new AbortController()
    setTimeout(() => mind.abort(), 50)
    const posted = await open().send(letterTo(to(receiver.port)), mind.signal)
    assert.ok(!posted.answered && posted.isLocalFault)
    await receiver.quiet()
  })
})

describe('kept connections', () => {
  test('carry letter after letter, and are as many as there were letters at once', async () => {
    await using receiver = await listen(http.createServer((_request, response) => response.end('ok')))
    const poster = open()
    for (let i = 0; i < 20; i += 1) assertAnswered(await poster.send(letterTo(to(receiver.port))))
    assert.equal(receiver.connections(), 1)
    await Promise.all(Array.from({ length: 4 }, () => poster.send(letterTo(to(receiver.port)))))
    assert.equal(receiver.connections(), 4)
    assert.equal(poster.idleConnections, 4)
    poster.close()
    await receiver.quiet()
  })

  test('are not kept where the receiver says so', async () => {
    await using receiver = await listen(
      http.createServer((_request, response) => response.writeHead(200, { connection: 'close' }).end('ok')),
    )
    const poster = open()
    for (let i = 0; i < 3; i += 1) assertAnswered(await poster.send(letterTo(to(receiver.port))))
    assert.equal(receiver.connections(), 3)
    assert.equal(poster.idleConnections, 0)
  })

  test('one that the receiver closes as it is used again costs nothing: the letter goes out anew', async () => {
    const bodies: string[] = []
    // Answers once on each connection and closes it without a word when a second letter comes.
    await using receiver = await listen(
      net.createServer((socket) => {
        let letters = 0
        socket.on('data', (chunk) => {
          letters += 1
          if (letters > 1) return void socket.destroy()
          bodies.push(String(chunk).split('\r\n\r\n')[1] ?? '')
          socket.write(OK)
        })
      }),
    )
    const poster = open()
    assertAnswered(await poster.send(letterTo(to(receiver.port), { body: '1' })))
    const second = await poster.send(letterTo(to(receiver.port), { body: '2' }))
    poster.close()
    assertAnswered(second)
    assert.deepEqual(bodies, ['1', '2'])
  })

  test('one that breaks off in the middle of an answer is a failure, on a kept connection too', async () => {
    await using receiver = await listen(
      net.createServer((socket) => {
        let letters = 0
        socket.on('data', () => {
          letters += 1
          if (letters === 1) socket.write(OK)
          else socket.end('HTTP/1.1 200 OK\r\nContent-Le')
        })
      }),
    )
    const poster = open()
    assertAnswered(await poster.send(letterTo(to(receiver.port))))
    assertUnanswered(await poster.send(letterTo(to(receiver.port))), 'CONNECT')
    assert.equal(receiver.connections(), 1)
  })

  test('what comes without being asked for is not taken for the next answer', async () => {
    await using receiver = await listen(
      net.createServer((socket) => {
        socket.once('data', () => {
          socket.write(OK)
          setTimeout(() => socket.write('HTTP/1.1 500 Poison\r\nContent-Length: 0\r\n\r\n'), 20)
        })
      }),
    )
    const poster = open({ timeoutMs: 2_000 })
    assertAnswered(await poster.send(letterTo(to(receiver.port))))
    await delay(60)
    const next = await poster.send(letterTo(to(receiver.port)))
    poster.close()
    assertAnswered(next)
    assert.equal(next.status, 200)
    assert.equal(receiver.connections(), 2)
  })
})
