import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import net from 'node:net'
import { describe, test } from 'node:test'
import tls from 'node:tls'
import type { FullTarget } from '../../../../src/monitoring/monitor-types/definitions.ts'
import { probeSsl } from '../../../../src/monitoring/monitor-types/ssl/probe.ts'
import { createGuard } from '../../../../src/outbound/guard.ts'
import { listen, never } from '../../../outbound/fixtures.ts'
import { startVirtualTime } from '../../../outbound/virtual-time.ts'
import { type Credentials, DAY_MS, makeAuthority, makeSelfSigned } from '../../../support/certificates.ts'
import { startDnsServer } from '../../../support/dns-server.ts'
import { type ShownSample, shownSample } from '../../../support/reasons.ts'
import { guardKnowing } from '../probing.ts'
import { targetOf } from '../target.ts'

const root = makeAuthority('Pharos test root')
const middle = root.intermediate('Pharos test intermediate')
const stranger = makeAuthority('Stranger')
const guard = createGuard({ policy: 'allow', ca: [root.cert] })

const probe = (parts: Partial<FullTarget>): Promise<ShownSample> =>
  shownSample(probeSsl(targetOf(parts), { guard }, never))

const serving = (credentials: Credentials, options: tls.TlsOptions = {}) => {
  const server = tls.createServer({ ...credentials, ...options })
  server.on('tlsClientError', () => {})
  server.on('secureConnection', (socket) => socket.on('error', () => {}))
  return listen(server)
}

/** One look at a server that shows these credentials; it must leave no connection behind. */
async function lookAt(credentials: Credentials, parts: Partial<FullTarget> = {}, options: tls.TlsOptions = {}) {
  await using server = await serving(credentials, options)
  const sample = await probe({ url: `127.0.0.1:${server.port}`, ...parts })
  await server.quiet()
  return sample
}

const good = root.issue({ hosts: ['127.0.0.1'] })
const old = new Date('2026-01-02T12:00:00Z')

describe('a good certificate', () => {
  test('is reported with its date, the address and the timings', async () => {
    const sample = await lookAt(good)
    assert.ok(sample.outcome === 'success', JSON.stringify(sample))
    const { fingerprint256, validToDate } = new X509Certificate(good.cert)
    assert.deepEqual(sample.certificate, { fingerprint: fingerprint256, expiresAt: +validToDate })
    assert.equal(sample.ip, '127.0.0.1')
    assert.deepEqual(Object.keys(sample.timings ?? {}), ['connectMs', 'tlsMs'])
    assert.ok(Number.isInteger(sample.responseMs))
  })

  test('may expire soon: the probe does not judge the days left', async () => {
    const validTo = new Date(Math.floor(Date.now() / 1000) * 1000 + DAY_MS)
    const sample = await lookAt(root.issue({ hosts: ['127.0.0.1'], validTo }))
    assert.partialDeepStrictEqual(sample, { outcome: 'success', certificate: { expiresAt: +validTo } })
  })

  test('may come with its chain, from a server of another protocol or one that asks for a client certificate', async () => {
    const leaf = middle.issue({ hosts: ['127.0.0.1'] })
    const chained = await lookAt({ ...leaf, cert: leaf.cert + middle.cert })
    assert.equal(chained.outcome, 'success')
    assert.equal((await lookAt(good, {}, { ALPNProtocols: ['imap'] })).outcome, 'success')
    assert.equal((await lookAt(good, {}, { requestCert: true, rejectUnauthorized: true })).outcome, 'success')
  })

  test('is found by URL, by name and by name with port', async () => {
    await using named = await guardKnowing('shop.test', [root.cert])
    const look = (url: string) => shownSample(probeSsl(targetOf({ url }), named, never))
    await using server = await serving(root.issue({ hosts: ['shop.test'] }))
    for (const url of [
      `https://shop.test:${server.port}/path`,
      `SHOP.test:${server.port}`,
      `shop.test.:${server.port}`,
    ]) {
      const sample = await look(url)
      assert.ok(sample.outcome === 'success' && sample.timings?.dnsMs !== undefined, JSON.stringify(sample))
    }
    const missing = await look(`nil.test:${server.port}`)
    const error = 'Could not resolve nil.test'
    assert.partialDeepStrictEqual(missing, { outcome: 'failure', code: 'DNS', kind: 'connection', error })
  })
})

const expired = root.issue({ hosts: ['127.0.0.1'], validTo: old })
const early = root.issue({ hosts: ['127.0.0.1'], validFrom: new Date(Date.now() + DAY_MS) })
const elsewhere = root.issue({ hosts: ['other.test'] })
const selfSigned = makeSelfSigned({ hosts: ['127.0.0.1'] })
const untrusted = stranger.issue({ hosts: ['127.0.0.1'] })

describe('a bad certificate fails the check', () => {
  const BAD: readonly (readonly [string, Credentials, RegExp])[] = [
    ['expired', expired, /^The certificate expired on Jan 2, 2026$/],
    ['self-signed', selfSigned, /^The certificate is self-signed$/],
  ]
  for (const [what, credentials, sentence] of BAD) {
    test(what, async () => {
      const sample = await lookAt(credentials)
      assert.partialDeepStrictEqual(sample, {
        outcome: 'failure',
        code: 'CERTIFICATE',
        kind: 'content',
        ip: '127.0.0.1',
      })
      assert.ok(sample.outcome === 'failure')
      assert.match(sample.error, sentence)
      assert.equal(sample.certificate?.fingerprint, new X509Certificate(credentials.cert).fingerprint256)
    })
  }

  test('without verification, only an expired one does', async () => {
    const lax = { verifySsl: false }
    for (const credentials of [early, elsewhere, selfSigned, untrusted]) {
      const sample = await lookAt(credentials, lax)
      assert.ok(sample.outcome === 'success' && sample.certificate !== undefined, JSON.stringify(sample))
    }
    for (const credentials of [expired, makeSelfSigned({ hosts: ['127.0.0.1'], validTo: old })]) {
      const error = 'The certificate expired on Jan 2, 2026'
      const sample = await lookAt(credentials, lax)
      assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'CERTIFICATE', kind: 'content', error })
      assert.partialDeepStrictEqual(sample, { certificate: { expiresAt: +old } })
    }
  })

  test('an unreadable date fails too, and is not stored', async () => {
    const odd = makeSelfSigned({ hosts: ['127.0.0.1'], validTo: old })
    const raw = new X509Certificate(odd.cert).raw
    raw.write('269902120000Z', raw.indexOf('260102120000Z'), 'latin1')
    const lines = raw.toString('base64').replaceAll(/.{64}/g, '$&\n')
    const cert = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
    const sample = await lookAt({ ...odd, cert }, { verifySsl: false })
    const error = 'The certificate has an unreadable expiry date'
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'CERTIFICATE', kind: 'content', error })
    assert.equal('certificate' in sample, false)
  })
})

describe('a failed handshake', () => {
  const talk = async (onConnection: (socket: net.Socket) => void, timeoutMs = 3000) => {
    await using server = await listen(net.createServer(onConnection))
    const sample = await probe({ url: `127.0.0.1:${server.port}`, timeoutMs })
    await server.quiet()
    return sample
  }

  test('because the server uses another protocol', async () => {
    const sample = await talk((socket) => socket.resume().write('220 mail.test ESMTP ready\r\n'))
    const error = 'TLS handshake failed: the server does not use TLS on this port'
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'TLS', kind: 'connection', error })
  })

  test('because the server does not answer within the timeout', async () => {
    using _time = startVirtualTime()
    const sample = await talk((socket) => socket.resume(), 200)
    const error = 'TLS handshake with 127.0.0.1 timed out after 200 ms'
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'TIMEOUT', kind: 'connection', error })
  })

  test('because the address is not allowed: no connection is made', async () => {
    await using server = await serving(good)
    const strict = createGuard({ policy: 'deny', ca: [root.cert] })
    const sample = await shownSample(probeSsl(targetOf({ url: `127.0.0.1:${server.port}` }), { guard: strict }, never))
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'CONNECT', kind: 'content' })
    assert.equal(server.connections(), 0)
  })

  test('because there is no address', async () => {
    for (const url of [null, '', 'a b', 'shop.test:0', 'shop.test:65536']) {
      assert.partialDeepStrictEqual(await probe({ url }), { outcome: 'failure', code: 'CONNECT', kind: 'content' })
    }
  })
})

test('serverName and resolver of the monitor are used', async () => {
  await using dns = await startDnsServer(({ type }) => (type === 'A' ? { records: ['127.0.0.1'] } : {}))
  await using server = await serving(root.issue({ hosts: ['shop.test'] }))
  const url = `other.test:${server.port}`
  const plain = await probe({ url, request: { resolver: dns.address } })
  assert.equal(plain.outcome === 'failure' && plain.code, 'CERTIFICATE')
  const named = await probe({ url, request: { resolver: dns.address, serverName: 'shop.test' } })
  assert.equal(named.outcome, 'success', JSON.stringify(named))
})
