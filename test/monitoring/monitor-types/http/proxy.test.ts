import assert from 'node:assert/strict'
import http from 'node:http'
import http2, { type ServerHttp2Stream } from 'node:http2'
import https from 'node:https'
import net from 'node:net'
import { describe, test } from 'node:test'
import type { RequestOptions } from '../../../../src/contract/check-options.ts'
import { createGuard } from '../../../../src/outbound/guard.ts'
import { listen, recordingSite } from '../../../outbound/fixtures.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { closedPort } from '../../../support/ports.ts'
import { startHttpProxy, startSocksProxy } from '../../../support/proxies.ts'
import type { ShownSample } from '../../../support/reasons.ts'
import { checkHttp, errorOf, guardKnowing } from '../probing.ts'

const authority = makeAuthority('Private root')
const guard = createGuard({ policy: 'allow', ca: [authority.cert] })
const probe = (url: string, request: RequestOptions, by = guard): Promise<ShownSample> =>
  checkHttp({ url, timeoutMs: 2000, request }, by)

const secure = () =>
  listen(
    https.createServer(authority.issue({ hosts: ['127.0.0.1', 'shop.test'] }), (_q, response) => response.end('hi')),
  )

describe('an http proxy', () => {
  test('gets the whole URL of an http target, and its login', async () => {
    await using site = await recordingSite((_path, response) => response.end())
    await using proxy = await startHttpProxy({ login: 'me:p@ss' })
    const proxyUrl = `http://me:p%40ss@127.0.0.1:${proxy.port}`
    assert.equal((await probe(site.at('/a?b'), { proxyUrl })).outcome, 'success')
    assert.deepEqual(proxy.asked, [`GET ${site.at('/a?b')}`])
    assert.equal(site.arrivals[0]?.headers['proxy-authorization'], undefined)
    const refused = await probe(site.at('/'), { proxyUrl: `http://127.0.0.1:${proxy.port}` })
    assert.equal(errorOf(refused), 'HTTP 407 Proxy Authentication Required (expected 2xx or 3xx)')
  })

  test('tunnels to an https target, by the address that was checked here', async () => {
    await using server = await secure()
    await using proxy = await startHttpProxy({ login: 'me:pass', names: { 'inner.test': '127.0.0.1' } })
    await using named = await guardKnowing('shop.test', [authority.cert])
    const proxyUrl = `http://me:pass@127.0.0.1:${proxy.port}`
    const known = await probe(`https://shop.test:${server.port}/`, { proxyUrl }, named.guard)
    assert.ok(known.outcome === 'success' && known.certificate !== undefined, JSON.stringify(known))
    const unknown = await probe(
      `https://inner.test:${server.port}/`,
      { proxyUrl, serverName: 'shop.test' },
      named.guard,
    )
    assert.equal(unknown.outcome, 'success', JSON.stringify(unknown))
    assert.deepEqual(proxy.asked, [`CONNECT 127.0.0.1:${server.port}`, `CONNECT inner.test:${server.port}`])
    const wrong = await probe(
      `https://shop.test:${server.port}/`,
      { proxyUrl: proxyUrl.replace('pass', 'x') },
      named.guard,
    )
    assert.equal(errorOf(wrong), `Proxy 127.0.0.1:${proxy.port}: HTTP 407 Proxy Authentication Required`)
  })

  test('may use TLS itself', async () => {
    await using server = await secure()
    await using site = await recordingSite((_path, response) => response.end())
    await using proxy = await startHttpProxy({ credentials: authority.issue({ hosts: ['127.0.0.1'] }) })
    const proxyUrl = `https://127.0.0.1:${proxy.port}`
    assert.equal((await probe(`https://127.0.0.1:${server.port}/`, { proxyUrl })).outcome, 'success')
    assert.equal((await probe(site.at('/'), { proxyUrl })).outcome, 'success')
  })

  test('that cannot be reached, hangs or is none is a failure that names it', async () => {
    await using site = await recordingSite((_path, response) => response.end())
    const port = await closedPort()
    const dead = await probe(site.at('/'), { proxyUrl: `http://u:s3cret@127.0.0.1:${port}` })
    assert.equal(errorOf(dead), `Proxy 127.0.0.1:${port}: Connection refused by 127.0.0.1:${port}`)
    assert.equal(dead.outcome === 'failure' && dead.triedIp, '127.0.0.1')
    const answers: [string, string][] = [
      ['SSH-2.0-x\r\n\r\n', 'it is not an HTTP proxy'],
      ['x'.repeat(20_000), 'it sent an answer that is too long'],
      ['HTTP/1.1 503\r\n\r\n', 'HTTP 503 Service Unavailable'],
    ]
    for (const [answer, error] of answers) {
      await using odd = await listen(net.createServer((socket) => void socket.end(answer)))
      const sample = await probe('https://127.0.0.1:1/', { proxyUrl: `http://127.0.0.1:${odd.port}` })
      assert.equal(errorOf(sample), `Proxy 127.0.0.1:${odd.port}: ${error}`)
    }
    await using mute = await listen(net.createServer((socket) => void socket.resume()))
    const request = { proxyUrl: `http://127.0.0.1:${mute.port}` }
    const unanswered = await checkHttp({ url: 'https://127.0.0.1:1/', timeoutMs: 200, request })
    assert.partialDeepStrictEqual(unanswered, {
      outcome: 'failure',
      code: 'TIMEOUT',
      error: `Proxy 127.0.0.1:${mute.port}: No response within 200 ms`,
    })
    await mute.quiet()
  })
})

describe('a socks5 proxy', () => {
  test('connects, with and without a login, by address and by name', async () => {
    await using server = await secure()
    await using site = await recordingSite((_path, response) => response.end())
    await using proxy = await startSocksProxy({ names: { 'inner.test': '127.0.0.1' } })
    await using named = await guardKnowing('shop.test', [authority.cert])
    const proxyUrl = `socks5://127.0.0.1:${proxy.port}`
    const check = async (url: string) => assert.equal((await probe(url, { proxyUrl }, named.guard)).outcome, 'success')
    await check(`https://shop.test:${server.port}/`)
    await check(`http://shop.test:${site.port}/`)
    await check(`http://inner.test:${site.port}/`)
    await using v6 = await listen(
      http.createServer((_request, response) => response.end()),
      '::1',
    )
    await check(`http://[::1]:${v6.port}/`)
    assert.deepEqual(proxy.asked, [
      `SOCKS 127.0.0.1:${server.port}`,
      `SOCKS 127.0.0.1:${site.port}`,
      `SOCKS inner.test:${site.port}`,
      `SOCKS ::1:${v6.port}`,
    ])
    await using closed = await startSocksProxy({ login: 'me:p@ss' })
    const at = `127.0.0.1:${closed.port}`
    assert.equal((await probe(site.at('/'), { proxyUrl: `socks5://me:p%40ss@${at}` })).outcome, 'success')
    const wrong = await probe(site.at('/'), { proxyUrl: `socks5://me:s3cret@${at}` })
    assert.equal(errorOf(wrong), `Proxy ${at}: it refused the user name or password`)
    const none = await probe(site.at('/'), { proxyUrl: `socks5://${at}` })
    assert.equal(errorOf(none), `Proxy ${at}: it requires a user name and password`)
  })

  test('that reports a fault is a failure that says which', async () => {
    await using proxy = await startSocksProxy()
    const proxyUrl = `socks5://127.0.0.1:${proxy.port}`
    const refused = await probe(`http://127.0.0.1:${await closedPort()}/`, { proxyUrl })
    assert.equal(errorOf(refused), `Proxy 127.0.0.1:${proxy.port}: the target refused the connection`)
    await using web = await recordingSite((_path, response) => response.end())
    const other = await probe('http://127.0.0.1:1/', { proxyUrl: `socks5://127.0.0.1:${web.port}` })
    assert.equal(errorOf(other), `Proxy 127.0.0.1:${web.port}: it does not speak SOCKS5`)
  })
})

test('WebSocket and gRPC over plain HTTP use a tunnel', async () => {
  await using proxy = await startHttpProxy()
  const proxyUrl = `http://127.0.0.1:${proxy.port}`
  const server = http2.createServer().on('stream', (stream: ServerHttp2Stream) => {
    stream.respond({ ':status': 200, 'grpc-status': '12' }, { endStream: true })
  })
  await using grpc = await listen(server)
  const answer = await probe(`http://127.0.0.1:${grpc.port}/`, { proxyUrl, protocol: 'GRPC_HEALTH' })
  assert.equal(errorOf(answer), 'The server has no gRPC health service (UNIMPLEMENTED)')
  await using site = await recordingSite((_path, response) => response.end())
  await probe(site.at('/'), { proxyUrl, protocol: 'WEBSOCKET' })
  assert.deepEqual(proxy.asked, [`CONNECT 127.0.0.1:${grpc.port}`, `CONNECT 127.0.0.1:${site.port}`])
})
