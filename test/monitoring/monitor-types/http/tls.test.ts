import assert from 'node:assert/strict'
import http from 'node:http'
import https from 'node:https'
import { test } from 'node:test'
import { createGuard } from '../../../../src/outbound/guard.ts'
import { dnsResolver } from '../../../../src/outbound/name-resolver.ts'
import { listen, startDns } from '../../../outbound/fixtures.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { checkHttp } from '../probing.ts'

const authority = makeAuthority('Pharos test root')
const guard = createGuard({ policy: 'allow', ca: [authority.cert] })

const serving = (hosts: readonly string[], validTo?: Date) =>
  listen(
    https.createServer(authority.issue({ hosts, ...(validTo && { validTo }) }), (_q, response) => response.end('hi')),
  )

test('a success has the certificate and the handshake time', async () => {
  await using server = await serving(['127.0.0.1'])
  const sample = await checkHttp({ url: `https://127.0.0.1:${server.port}/` }, guard)
  assert.ok(sample.outcome === 'success', JSON.stringify(sample))
  assert.match(sample.certificate?.fingerprint ?? '', /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  assert.ok((sample.certificate?.expiresAt ?? 0) > Date.now())
  assert.deepEqual(Object.keys(sample.timings ?? {}), ['connectMs', 'tlsMs', 'firstByteMs', 'downloadMs'])
  await server.quiet()
})

test('an expired certificate fails, unless verification is off', async () => {
  await using server = await serving(['127.0.0.1'], new Date('2026-01-02T00:00:00Z'))
  const url = `https://127.0.0.1:${server.port}/`
  const error = 'The certificate expired on Jan 2, 2026'
  const sample = await checkHttp({ url }, guard)
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'TLS', kind: 'connection', error })
  assert.ok(sample.outcome === 'failure' && sample.certificate?.expiresAt === Date.parse('2026-01-02T00:00:00Z'))
  const lax = await checkHttp({ url, verifySsl: false }, guard)
  assert.ok(lax.outcome === 'success' && lax.certificate?.expiresAt === Date.parse('2026-01-02T00:00:00Z'))
  await server.quiet()
})

test('a name is resolved, sent as server name, and verified', async () => {
  await using dns = await startDns((_name, type) => (type === 'A' ? { records: ['127.0.0.1'] } : {}))
  const named = createGuard({ policy: 'allow', ca: [authority.cert], resolver: dnsResolver(dns.resolver) })
  await using server = await serving(['shop.test'])
  const good = await checkHttp({ url: `https://shop.test:${server.port}/` }, named)
  assert.ok(good.outcome === 'success' && good.timings?.dnsMs !== undefined)
  const bad = await checkHttp({ url: `https://other.test:${server.port}/` }, named)
  const error = 'The certificate is not valid for other.test (valid for shop.test)'
  assert.partialDeepStrictEqual(bad, { outcome: 'failure', code: 'TLS', error })
})

test('the certificate of the last https hop is kept over a redirect to http', async () => {
  await using plain = await listen(http.createServer((_request, response) => response.end('hi')))
  const location = `http://127.0.0.1:${plain.port}/`
  await using server = await listen(
    https.createServer(authority.issue({ hosts: ['127.0.0.1'] }), (_q, response) =>
      response.writeHead(302, { location }).end(),
    ),
  )
  const sample = await checkHttp({ url: `https://127.0.0.1:${server.port}/` }, guard)
  assert.ok(sample.outcome === 'success' && sample.certificate !== undefined)
  assert.deepEqual(Object.keys(sample.timings ?? {}), ['connectMs', 'firstByteMs', 'downloadMs'])
})
