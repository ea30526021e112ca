import assert from 'node:assert/strict'
import http from 'node:http'
import http2, { type Http2Server, type ServerHttp2Stream } from 'node:http2'
import { test } from 'node:test'
import tls from 'node:tls'
import type { RequestOptions } from '../../../../src/contract/check-options.ts'
import { listen } from '../../../outbound/fixtures.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import type { ShownSample } from '../../../support/reasons.ts'
import { checkHttp, errorOf } from '../probing.ts'

const authority = makeAuthority('Private root')
const probe = (url: string, request: RequestOptions = {}, timeoutMs = 3000): Promise<ShownSample> =>
  checkHttp({ url, timeoutMs, request: { protocol: 'GRPC_HEALTH', ...request } })

type Reply = (stream: ServerHttp2Stream, service: string) => void

/** Answers as a gRPC server: the message in data, the status in trailers. */
function answer(stream: ServerHttp2Stream, message: Buffer, grpcStatus = 0): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(grpcStatus) }))
  stream.end(message)
}

const health = (state: number) => Buffer.from([0, 0, 0, 0, 2, 0x08, state])
const trailersOnly = (stream: ServerHttp2Stream, grpcStatus: number) =>
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(grpcStatus) },
    { endStream: true },
  )

function withReply<S extends Http2Server>(server: S, reply: Reply, seen: http2.IncomingHttpHeaders[] = []): S {
  server.on('sessionError', () => {})
  server.on('stream', async (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {})
    seen.push(headers)
    const message = Buffer.concat(await stream.toArray())
    // 5 bytes of prefix, tag and length of the name.
    reply(stream, message.subarray(7).toString())
  })
  return server
}

const states: Reply = (stream, service) => {
  if (service === '' || service === 'shop.Cart') answer(stream, health(1))
  else if (service === 'shop.Old') answer(stream, health(2))
  else trailersOnly(stream, 5)
}

test('SERVING is up over h2c, for the server and a service', async () => {
  const seen: http2.IncomingHttpHeaders[] = []
  await using server = await listen(withReply(http2.createServer(), states, seen))
  const url = `http://127.0.0.1:${server.port}/`
  assert.partialDeepStrictEqual(await probe(url), { outcome: 'success', statusCode: 200 })
  const auth = { type: 'BEARER', token: 'abc' } as const
  assert.equal((await probe(url, { grpcService: 'shop.Cart', auth })).outcome, 'success')
  assert.partialDeepStrictEqual(seen[1], {
    ':path': '/grpc.health.v1.Health/Check',
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: 'Bearer abc',
  })
  await server.quiet()
})

test('other answers are down and say why', async () => {
  await using server = await listen(withReply(http2.createServer(), states))
  const url = `http://127.0.0.1:${server.port}/`
  const errorFor = async (grpcService: string) => errorOf(await probe(url, { grpcService }))
  assert.equal(await errorFor('shop.Old'), 'The service "shop.Old" is NOT_SERVING')
  assert.equal(await errorFor('nil'), 'The service "nil" is not known to the health service (NOT_FOUND)')
  const replies: [Reply, string][] = [
    [(stream) => trailersOnly(stream, 12), 'The server has no gRPC health service (UNIMPLEMENTED)'],
    [(stream) => trailersOnly(stream, 7), 'The health service answered with the gRPC status 7'],
    [(stream) => answer(stream, Buffer.from('garbage')), 'The server is UNKNOWN'],
    [(stream) => answer(stream, Buffer.alloc(0)), 'The server is UNKNOWN'],
    [(stream) => stream.respond({ ':status': 503 }, { endStream: true }), 'HTTP 503 (expected a gRPC response)'],
    [(stream) => stream.respond({ ':status': 200 }, { endStream: true }), 'The response is not one of a gRPC server'],
    [(stream) => answer(stream, Buffer.alloc(100_000)), 'The response is larger than 4 KiB'],
    [(stream) => stream.session?.destroy(), 'Connection closed before the response was complete'],
  ]
  for (const [reply, error] of replies) {
    await using other = await listen(withReply(http2.createServer(), reply))
    assert.equal(errorOf(await probe(`http://127.0.0.1:${other.port}/`)), error)
  }
  await using hanging = await listen(withReply(http2.createServer(), () => {}))
  const sample = await probe(`http://127.0.0.1:${hanging.port}/`, {}, 300)
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'TIMEOUT', error: 'No response within 300 ms' })
})

test('over TLS it needs h2', async () => {
  const credentials = authority.issue({ hosts: ['127.0.0.1'] })
  await using server = await listen(withReply(http2.createSecureServer(credentials), states))
  const request = { ca: authority.cert }
  const sample = await probe(`https://127.0.0.1:${server.port}/`, request)
  assert.ok(sample.outcome === 'success' && sample.certificate !== undefined, JSON.stringify(sample))
  await using old = await listen(tls.createServer(credentials))
  const error = 'The server does not offer HTTP/2 (h2), which gRPC needs'
  assert.equal(errorOf(await probe(`https://127.0.0.1:${old.port}/`, request)), error)
  await using plain = await listen(http.createServer((_request, response) => response.end()))
  const wrong = await probe(`http://127.0.0.1:${plain.port}/`)
  assert.equal(wrong.outcome === 'failure' && wrong.code, 'CONNECT', JSON.stringify(wrong))
})
