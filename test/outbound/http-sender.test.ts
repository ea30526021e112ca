import assert from 'node:assert/strict'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createGuard } from '../../src/outbound/guard.ts'
import { openHttpConnection } from '../../src/outbound/http-connection.ts'
import { createHttpSender, type HttpSender } from '../../src/outbound/http-sender.ts'
import { dnsResolver } from '../../src/outbound/name-resolver.ts'
import type { HttpResult, OutgoingRequest } from '../../src/outbound/outgoing-request.ts'
import { makeAuthority } from '../support/certificates.ts'
import { closedPort } from '../support/ports.ts'
import { listen, NXDOMAIN, OK, raw, startDns, unresponsivePort } from './fixtures.ts'
import { startVirtualTime } from './virtual-time.ts'

const open = (options: { timeoutMs?: number } = {}): HttpSender =>
  createHttpSender({ guard: createGuard({ policy: 'allow' }), ...options })

const requestTo = (url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  url,
  headers: {},
  body: '{}',
  ...more,
})
const to = (port: number): string => `http://127.0.0.1:${port}/hook`

function assertAnswered(result: HttpResult): asserts result is Extract<HttpResult, { answered: true }> {
  assert.ok(result.answered, JSON.stringify(result))
}

function assertUnanswered(
  result: HttpResult,
  code: string,
): asserts result is Extract<HttpResult, { answered: false }> {
  assert.ok(!result.answered, JSON.stringify(result))
  assert.equal(result.code, code, result.error)
  assert.equal(result.isLocalFault, false)
}

describe('the request', () => {
  test('has the given body, headers, method and path', async () => {
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
    const sender = open()
    const url = `http://127.0.0.1:${receiver.port}/a%20b/ü?q=1&r=%2F#part`
    const result = await sender.send(requestTo(url, { method: 'PUT', headers: { 'x-one': 'two' }, body }))
    sender.close()
    assertAnswered(result)
    assert.equal(seen.method, 'PUT')
    assert.equal(seen.url, '/a%20b/%C3%BC?q=1&r=%2F')
    assert.equal(seen.headers?.['x-one'], 'two')
    assert.equal(seen.headers?.['content-length'], String(Buffer.byteLength(body)))
    assert.equal(seen.headers?.host, `127.0.0.1:${receiver.port}`)
    assert.equal(seen.body?.toString('utf8'), body)
  })

  test('is sent only to a TLS server whose certificate is valid for the name', async () => {
    const authority = makeAuthority('Test authority')
    await using receiver = await listen(
      https.createServer(authority.issue({ hosts: ['hooks.test'] }), (_request, response) => response.end('hello')),
    )
    await using dns = await startDns((_name, type) => ({ records: type === 'A' ? ['127.0.0.1'] : [] }))
    const guard = createGuard({ policy: 'allow', resolver: dnsResolver(dns.resolver), ca: [authority.cert] })
    const sender = createHttpSender({ guard })
    const good = await sender.send(requestTo(`https://hooks.test:${receiver.port}/`))
    const bad = await sender.send(requestTo(`https://other.test:${receiver.port}/`))
    const untrusted = await open().send(requestTo(`https://127.0.0.1:${receiver.port}/`))
    sender.close()
    assertAnswered(good)
    assert.equal(good.body, 'hello')
    assertUnanswered(bad, 'TLS')
    assert.match(bad.error, /not valid for other\.test/)
    assertUnanswered(untrusted, 'TLS')
  })
})

describe('the response', () => {
  async function answerTo(text: string | Buffer): Promise<HttpResult> {
    await using receiver = await listen(raw((socket) => socket.end(text)))
    const sender = open({ timeoutMs: 2_000 })
    const result = await sender.send(requestTo(to(receiver.port)))
    sender.close()
    return result
  }

  test('has status and Retry-After; a redirect is not followed', async () => {
    await using elsewhere = await listen(http.createServer())
    const head = `Location: http://127.0.0.1:${elsewhere.port}/\r\nRetry-After: 17\r\nContent-Length: 0`
    const result = await answerTo(`HTTP/1.1 307 Temporary Redirect\r\n${head}\r\n\r\n`)
    assertAnswered(result)
    assert.equal(result.status, 307)
    assert.equal(result.retryAfter, '17')
    assert.equal(elsewhere.connections(), 0)
  })

  test('is kept up to 4096 characters, as text that every database can store', async () => {
    const long = await answerTo(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(4095)}🎉🎉`)
    assertAnswered(long)
    assert.equal(long.body, 'x'.repeat(4095), 'half a character is left out')
    const dirty = await answerTo(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\na\0b'), Buffer.from([0xff, 0xfe])]))
    assertAnswered(dirty)
    assert.equal(dirty.body, 'a\ufffdb\ufffd\ufffd')
  })

  test('counts as none when it is not HTTP, breaks off, or has an endless head', async () => {
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

describe('a server that does not answer', () => {
  const assertTook = (result: HttpResult, timeoutMs: number) =>
    assert.ok(result.durationMs >= timeoutMs && result.durationMs < timeoutMs + 50, `${result.durationMs} ms`)

  test('takes no longer than the timeout, whatever it does', async () => {
    using _time = startVirtualTime()
    const timeoutMs = 600
    const drip = (head: string) => (socket: net.Socket) => {
      socket.write(head)
      const timer = setInterval(() => socket.write('x'), 50)
      socket.on('close', () => clearInterval(timer))
    }
    const early = (socket: net.Socket): void => void socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(8))
    const tricks: Record<string, (socket: net.Socket) => void> = {
      silence: () => {},
      'a dripping head': drip('HTTP/1.1 200 OK\r\nX-A: '),
      'a dripping body': drip('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n'),
      'a dripping body of chunks': drip('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n'),
      'eight hints': early,
    }
    for (const [name, trick] of Object.entries(tricks)) {
      await using receiver = await listen(raw(trick))
      const sender = open({ timeoutMs })
      const result = await sender.send(requestTo(to(receiver.port)))
      assertUnanswered(result, 'TIMEOUT')
      assertTook(result, timeoutMs)
      await receiver.quiet()
      assert.equal(sender.idleConnections, 0, name)
    }
  })

  test('is a TIMEOUT also when it does not accept, or does not read the request', async () => {
    await using silent = await unresponsivePort()
    using _time = startVirtualTime()
    const unaccepted = await open({ timeoutMs: 400 }).send(requestTo(to(silent.port)))
    assertUnanswered(unaccepted, 'TIMEOUT')
    await using deaf = await listen(net.createServer((socket) => socket.pause()))
    const stuck = await open({ timeoutMs: 400 }).send(requestTo(to(deaf.port), { body: 'x'.repeat(20_000_000) }))
    assertUnanswered(stuck, 'TIMEOUT')
    assertTook(stuck, 400)
  })

  test('has an error code that tells why', async () => {
    assertUnanswered(await open().send(requestTo(to(await closedPort()))), 'CONNECT')
    await using resets = await listen(net.createServer((socket) => socket.resetAndDestroy()))
    assertUnanswered(await open().send(requestTo(to(resets.port))), 'CONNECT')
    await using plain = await listen(net.createServer((socket) => socket.end('hello\r\n')))
    assertUnanswered(await open().send(requestTo(`https://127.0.0.1:${plain.port}/`)), 'TLS')
    await using dns = await startDns(() => NXDOMAIN)
    const guard = createGuard({ policy: 'allow', resolver: dnsResolver(dns.resolver) })
    assertUnanswered(await createHttpSender({ guard }).send(requestTo('http://nowhere.test/')), 'DNS')
    assertUnanswered(await open().send(requestTo('ftp://127.0.0.1/')), 'CONNECT')
    const closed = createHttpSender({ guard: createGuard({ policy: 'deny' }) })
    assertUnanswered(await closed.send(requestTo(to(plain.port))), 'BLOCKED_ADDRESS')
  })

  test('an endless response is cut off after 64 KiB, and its status counts', async () => {
    await using receiver = await listen(
      raw((socket) => {
        const chunk = Buffer.alloc(16_384, 'x')
        const pour = (): void => {
          while (!socket.destroyed && socket.write(chunk));
        }
        socket.on('drain', pour).write('HTTP/1.1 200 OK\r\n\r\n')
        pour()
      }),
    )
    const sender = open()
    const result = await sender.send(requestTo(to(receiver.port)))
    assertAnswered(result)
    assert.equal(result.status, 200)
    assert.equal(result.body.length, 4096)
    await receiver.quiet()
    assert.equal(sender.idleConnections, 0)
  })

  test('at most 64 KiB and the rest of the last read are read of a response', async () => {
    await using receiver = await listen(raw((socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(5_000_000)}`)))
    const signal = new AbortController().signal
    const guard = createGuard({ policy: 'allow' })
    const connection = await openHttpConnection(new URL(to(receiver.port)), ['127.0.0.1'], guard, signal)
    const response = await connection.send(requestTo(to(receiver.port)), '/', signal)
    assert.equal(response.status, 200)
    assert.ok(
      connection.bytesRead >= 65_536 && connection.bytesRead <= 2 * 65_536 + 1_000,
      `${connection.bytesRead} bytes`,
    )
    assert.ok(!connection.isOpen)
    await receiver.quiet()
  })

  test('a request that the caller aborts is a local fault', async () => {
    const controller = new AbortController()
    await using receiver = await listen(raw(() => controller.abort()))
    const result = await open().send(requestTo(to(receiver.port)), controller.signal)
    assert.ok(!result.answered && result.isLocalFault)
    await receiver.quiet()
  })
})

describe('reused connections', () => {
  test('are as many as there were requests at once', async () => {
    await using receiver = await listen(http.createServer((_request, response) => response.end('ok')))
    const sender = open()
    for (let i = 0; i < 20; i += 1) assertAnswered(await sender.send(requestTo(to(receiver.port))))
    assert.equal(receiver.connections(), 1)
    await Promise.all(Array.from({ length: 4 }, () => sender.send(requestTo(to(receiver.port)))))
    assert.equal(receiver.connections(), 4)
    assert.equal(sender.idleConnections, 4)
    sender.close()
    await receiver.quiet()
  })

  test('are closed when the server says so', async () => {
    await using receiver = await listen(
      http.createServer((_request, response) => response.writeHead(200, { connection: 'close' }).end('ok')),
    )
    const sender = open()
    for (let i = 0; i < 3; i += 1) assertAnswered(await sender.send(requestTo(to(receiver.port))))
    assert.equal(receiver.connections(), 3)
    assert.equal(sender.idleConnections, 0)
  })

  test('when the server closes one as it is reused, the request is sent on a new one', async () => {
    const bodies: string[] = []
    // Answers once on each connection and closes it when a second request comes.
    await using receiver = await listen(
      net.createServer((socket) => {
        let requests = 0
        socket.on('data', (chunk) => {
          requests += 1
          if (requests > 1) return void socket.destroy()
          bodies.push(String(chunk).split('\r\n\r\n')[1] ?? '')
          socket.write(OK)
        })
      }),
    )
    const sender = open()
    assertAnswered(await sender.send(requestTo(to(receiver.port), { body: '1' })))
    const second = await sender.send(requestTo(to(receiver.port), { body: '2' }))
    sender.close()
    assertAnswered(second)
    assert.deepEqual(bodies, ['1', '2'])
  })

  test('a response that breaks off on one is a failure', async () => {
    await using receiver = await listen(
      net.createServer((socket) => {
        let requests = 0
        socket.on('data', () => {
          requests += 1
          if (requests === 1) socket.write(OK)
          else socket.end('HTTP/1.1 200 OK\r\nContent-Le')
        })
      }),
    )
    const sender = open()
    assertAnswered(await sender.send(requestTo(to(receiver.port))))
    const second = await sender.send(requestTo(to(receiver.port)))
    assert.partialDeepStrictEqual(second, { answered: false, code: 'CONNECT', isLocalFault: false })
    assert.equal(receiver.connections(), 1)
  })

  test('bytes that no request asked for are not taken for the next response', async () => {
    const accepted: net.Socket[] = []
    await using receiver = await listen(
      net.createServer((socket) => {
        accepted.push(socket)
        socket.once('data', () => socket.write(OK))
      }),
    )
    const sender = open()
    assertAnswered(await sender.send(requestTo(to(receiver.port))))
    accepted[0]?.write('HTTP/1.1 500 Poison\r\nContent-Length: 0\r\n\r\n')
    // Closing the connection is the reaction to these bytes.
    while (sender.idleConnections > 0 && accepted[0]?.closed === false) await nextTurn()
    const next = await sender.send(requestTo(to(receiver.port)))
    sender.close()
    assertAnswered(next)
    assert.equal(next.status, 200)
    assert.equal(receiver.connections(), 2)
  })
})
