import assert from 'node:assert/strict'
import http2, { type ServerHttp2Stream } from 'node:http2'
import net from 'node:net'
import { describe, test } from 'node:test'
import type { Auth, RequestOptions } from '../../src/contract/check-options.ts'
import { probeHttp } from '../../src/monitoring/monitor-types/http/probe.ts'
import { parseAddressPolicy } from '../../src/outbound/address-policy.ts'
import { createGuard } from '../../src/outbound/guard.ts'
import { targetOf } from '../monitoring/monitor-types/target.ts'
import { type Listener, listen, never, type RecordingSite, recordingSite } from '../outbound/fixtures.ts'
import { startHttpProxy, startSocksProxy } from '../support/proxies.ts'
import { type ShownSample, shownSample } from '../support/reasons.ts'

const SECRET = 'secret-0123456789'
const open = createGuard({ policy: 'allow' })
const probe = (url: string, request: RequestOptions, guard = open, timeoutMs = 2000): Promise<ShownSample> =>
  shownSample(probeHttp(targetOf({ url, timeoutMs, request }), { guard }, never))
const errorOf = (sample: ShownSample): string => (sample.outcome === 'failure' ? sample.error : JSON.stringify(sample))

const oauth = (tokenUrl: string): Auth => ({
  type: 'OAUTH2_CLIENT_CREDENTIALS',
  tokenUrl,
  clientId: 'me',
  clientSecret: SECRET,
})

describe('the address guard', () => {
  // Targets on 127.0.0.1 are allowed, the other part on 127.0.0.2 is not.
  const guard = createGuard({ policy: parseAddressPolicy('127.0.0.1') })
  const forbidden = async (server: Listener, sample: ShownSample, part: string) => {
    const error = `${part}127.0.0.2 is a private address, which this installation does not allow`
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'CONNECT', kind: 'content', error })
    assert.equal(server.connections(), 0)
  }
  const listenThere = () =>
    listen(
      net.createServer((socket) => void socket.end()),
      '127.0.0.2',
    )

  test('refuses a proxy, a resolver and a token endpoint', async () => {
    await using site = await recordingSite((_path, response) => response.end())
    await using there = await listenThere()
    const at = `127.0.0.2:${there.port}`
    for (const scheme of ['http', 'https', 'socks5']) {
      const proxyUrl = `${scheme}://me:${SECRET}@${at}`
      await forbidden(there, await probe(site.at('/'), { proxyUrl }, guard), `Proxy ${at}: `)
    }
    await forbidden(there, await probe('http://shop.test/', { resolver: at }, guard), '')
    const auth = oauth(`http://${at}/token`)
    await forbidden(there, await probe(site.at('/'), { auth }, guard), `Token endpoint ${at}: `)
    assert.equal(site.connections(), 0)
  })

  test('refuses a target behind a proxy, and a redirect to it', async () => {
    await using there = await listenThere()
    await using site = await recordingSite((_path, response) =>
      response.writeHead(302, { location: `http://127.0.0.2:${there.port}/` }).end(),
    )
    await using http = await startHttpProxy()
    await using socks = await startSocksProxy()
    for (const proxyUrl of [`http://127.0.0.1:${http.port}`, `socks5://127.0.0.1:${socks.port}`]) {
      for (const url of [`http://127.0.0.2:${there.port}/`, `https://127.0.0.2:${there.port}/`, site.at('/')]) {
        await forbidden(there, await probe(url, { proxyUrl }, guard), '')
      }
    }
    assert.equal(http.asked.length + socks.asked.length, 2)
  })
})

describe('a redirect to another origin', () => {
  const logins: Auth[] = [
    { type: 'BASIC', username: 'me', password: SECRET },
    { type: 'BEARER', token: SECRET },
    { type: 'DIGEST', username: 'me', password: SECRET },
  ]
  const challenge = { 'www-authenticate': 'Digest realm="r", nonce="n", qop="auth"' }

  test('carries no credentials, and a challenge there is not answered', async () => {
    await using second = await recordingSite((_path, response) => response.writeHead(401, challenge).end())
    await using first = await recordingSite((path, response) =>
      path === '/back' ? response.end() : response.writeHead(302, { location: second.at('/x') }).end(),
    )
    await using endpoint = await recordingSite((_path, response) => response.end(`{"access_token":"${SECRET}"}`))
    for (const auth of [...logins, oauth(endpoint.at('/'))]) {
      const sample = await probe(first.at('/'), { auth })
      assert.match(errorOf(sample), /^HTTP 401 Unauthorized .* after a redirect to another origin/)
    }
    assert.equal(second.arrivals.length, 4)
    expectNothing(second)
  })

  test('that leads back does not bring them back', async () => {
    await using second: RecordingSite = await recordingSite((_path, response) =>
      response.writeHead(302, { location: first.at('/back') }).end(),
    )
    await using first: RecordingSite = await recordingSite((path, response) =>
      path === '/back'
        ? response.writeHead(401, challenge).end()
        : response.writeHead(302, { location: second.at('/x') }).end(),
    )
    for (const auth of logins) await probe(first.at('/'), { auth })
    const back = first.arrivals.filter(({ url }) => url === '/back')
    assert.deepEqual(
      back.map(({ headers }) => headers.authorization),
      [undefined, undefined, undefined],
    )
  })

  function expectNothing({ arrivals }: RecordingSite): void {
    assert.ok(!JSON.stringify(arrivals).includes(SECRET))
    for (const { headers } of arrivals) assert.equal(headers.authorization, undefined)
  }
})

describe('a hostile token endpoint', () => {
  const attacks: [string, (socket: net.Socket) => void, RegExp][] = [
    ['hangs', () => {}, /^Token endpoint 127\.0\.0\.1:\d+: No response within 500 ms$/],
    ['floods with headers', (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', 'X-A: b\r\n'), /larger than 64 KiB$/],
    ['floods with a body', (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n\r\n', '{"a":'), /no access token in the res/],
    ['sends garbage', (socket) => void socket.end('\0\xff\r\n'), /: Invalid HTTP response/],
    ['closes', (socket) => void socket.end(), /: Connection closed without a response$/],
    [
      'redirects',
      (socket) => void socket.end('HTTP/1.1 307 x\r\nLocation: /\r\n\r\n'),
      /: HTTP 307 Temporary Redirect$/,
    ],
  ]
  for (const [name, attack, error] of attacks) {
    test(`that ${name} fails the check, and the target gets nothing`, async () => {
      await using endpoint = await listen(
        net.createServer((socket) => {
          socket.on('error', () => {})
          socket.once('data', () => attack(socket))
        }),
      )
      await using site = await recordingSite((_path, response) => response.end())
      const auth = oauth(`http://127.0.0.1:${endpoint.port}/token`)
      const sample = await probe(site.at('/'), { auth }, open, 500)
      assert.match(errorOf(sample), error)
      assert.ok(!JSON.stringify(sample).includes(SECRET))
      assert.equal(site.connections(), 0)
    })
  }
})

/** Writes until the connection is closed. */
function flood(socket: net.Socket, head: string, part: string): void {
  const parts = part.repeat(1000)
  const write = () => {
    if (!socket.destroyed) socket.write(parts, () => setImmediate(write))
  }
  socket.write(head, write)
}

test('a gRPC server that floods is cut off', async () => {
  let sent = 0
  const server = http2.createServer().on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {})
    stream.respond({ ':status': 200 })
    const write = () => {
      sent += 16_384
      if (!stream.destroyed) stream.write(Buffer.alloc(16_384), () => setImmediate(write))
    }
    write()
  })
  server.on('sessionError', () => {})
  await using grpc = await listen(server)
  const sample = await probe(`http://127.0.0.1:${grpc.port}/`, { protocol: 'GRPC_HEALTH' })
  assert.equal(errorOf(sample), 'The response is larger than 4 KiB')
  assert.ok(sent < 1024 * 1024, `${sent} bytes`)
  await grpc.quiet()
})

test('no secret of a request is in a failure', async () => {
  await using site = await recordingSite((_path, response) => response.writeHead(500).end())
  await using proxy = await startHttpProxy({ login: 'x:y' })
  const proxyUrl = `http://me:${SECRET}@127.0.0.1:${proxy.port}`
  const auth = { type: 'BASIC', username: SECRET, password: SECRET } as const
  for (const url of [site.at('/'), `https://127.0.0.1:${site.port}/`]) {
    const sample = await probe(url, { proxyUrl, auth })
    assert.equal(sample.outcome, 'failure')
    assert.ok(!JSON.stringify(sample).includes(SECRET), JSON.stringify(sample))
    assert.ok(!JSON.stringify(sample).includes(btoa(`me:${SECRET}`)))
  }
})
