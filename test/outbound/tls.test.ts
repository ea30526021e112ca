import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import net from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { connectTcp } from '../../src/outbound/connect.ts'
import { TlsError } from '../../src/outbound/errors.ts'
import { connectTls, createTlsContexts } from '../../src/outbound/tls.ts'
import { type Credentials, DAY_MS, makeAuthority, makeSelfSigned } from '../support/certificates.ts'
import { listen, never } from './fixtures.ts'

const root = makeAuthority('Pharos test root')
const middle = root.intermediate('Pharos test intermediate')
const contexts = createTlsContexts([root.cert])
const good = root.issue({ hosts: ['shop.test', '*.wild.test', '127.0.0.1'] })

interface Handshake {
  readonly credentials: Credentials
  readonly host?: string
  readonly verify?: boolean
  readonly options?: tls.TlsOptions
}

/** One handshake with a server that shows these credentials, and the server's side of it. */
async function handshake({ credentials, host = 'shop.test', verify = true, options = {} }: Handshake) {
  const server = tls.createServer({ ...credentials, ...options })
  const accepted: { servername: string | false | null; alpn: string | false | null; reused: boolean }[] = []
  server.on('secureConnection', (socket) => {
    accepted.push({ servername: socket.servername, alpn: socket.alpnProtocol, reused: socket.isSessionReused() })
    socket.on('error', () => {})
  })
  server.on('tlsClientError', () => {})
  await using listener = await listen(server)
  const { socket } = await connectTcp(['127.0.0.1'], listener.port, never)
  try {
    const secured = await connectTls(socket, { host, contexts, verify, alpn: ['http/1.1'] }, never)
    // TLS 1.3: the client is done before the server is.
    while (accepted.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    const { version } = secured.socket.getCipher()
    const group = (secured.socket.getEphemeralKeyInfo() as tls.EphemeralKeyInfo).name
    const full = secured.socket.getPeerCertificate()
    secured.socket.destroy()
    await listener.quiet()
    return { ...secured, accepted, version, group, full }
  } catch (error) {
    assert.ok(socket.destroyed)
    await listener.quiet()
    throw error
  }
}

test('a good certificate is accepted and reported', async () => {
  const { certificate, accepted, group, full, tlsMs } = await handshake({
    credentials: good,
    options: { ALPNProtocols: ['http/1.1'] },
  })
  const x509 = new X509Certificate(good.cert)
  assert.deepEqual(certificate, { fingerprint: x509.fingerprint256, expiresAt: Date.parse(x509.validTo) })
  assert.deepEqual(accepted, [{ servername: 'shop.test', alpn: 'http/1.1', reused: false }])
  assert.equal(group, 'X25519')
  assert.equal(full.fingerprint256, x509.fingerprint256)
  assert.ok(tlsMs > 0)
})

test('an IP address is verified and not sent as server name; a trailing dot is removed', async () => {
  const byAddress = await handshake({ credentials: good, host: '127.0.0.1' })
  assert.equal(byAddress.accepted[0]?.servername, false)
  const byDotted = await handshake({ credentials: good, host: 'shop.test.' })
  assert.equal(byDotted.accepted[0]?.servername, 'shop.test')
  await handshake({ credentials: good, host: 'a.wild.test' })
})

test('a complete chain is accepted', async () => {
  const leaf = middle.issue({ hosts: ['shop.test'] })
  await handshake({ credentials: { ...leaf, cert: leaf.cert + middle.cert } })
})

test('every connection makes a full handshake', async () => {
  await handshake({ credentials: good })
  const second = await handshake({ credentials: good })
  assert.equal(second.accepted[0]?.reused, false)
})

const now = Date.now()
const stranger = makeAuthority('Stranger')
const strangerLeaf = stranger.issue({ hosts: ['shop.test'] })
const expired = root.issue({ hosts: ['shop.test'], validTo: new Date('2026-01-02T12:00:00Z') })
const BAD: [string, Credentials, string, RegExp][] = [
  ['expired', expired, 'shop.test', /^The certificate expired on Jan 2, 2026$/],
  [
    'not yet valid',
    root.issue({ hosts: ['shop.test'], validFrom: new Date(now + DAY_MS) }),
    'shop.test',
    /^The certificate is not valid before \w{3} \d+, \d{4}$/,
  ],
  [
    'for another host',
    good,
    'other.test',
    /^The certificate is not valid for other\.test \(valid for shop\.test, \*\.wild\.test, 127\.0\.0\.1\)$/,
  ],
  ['for another address', good, '127.0.0.9', /^The certificate is not valid for 127\.0\.0\.9 /],
  ['for a name below a wildcard', good, 'a.b.wild.test', /^The certificate is not valid for a\.b\.wild\.test /],
  ['self-signed', makeSelfSigned({ hosts: ['shop.test'] }), 'shop.test', /^The certificate is self-signed$/],
  [
    'of an unknown authority',
    { ...strangerLeaf, cert: strangerLeaf.cert + stranger.cert },
    'shop.test',
    /^The certificate was issued by an authority that is not trusted$/,
  ],
  [
    'with an incomplete chain',
    middle.issue({ hosts: ['shop.test'] }),
    'shop.test',
    /^The certificate chain is incomplete or not trusted$/,
  ],
]

for (const [what, credentials, host, sentence] of BAD) {
  test(`a certificate is refused: ${what}`, async () => {
    await assert.rejects(handshake({ credentials, host }), (error: TlsError) => {
      assert.ok(error instanceof TlsError)
      assert.match(error.message, sentence)
      assert.equal(error.code, 'TLS')
      assert.equal(error.certificate?.fingerprint, new X509Certificate(credentials.cert).fingerprint256)
      return true
    })
    const { certificate } = await handshake({ credentials, host, verify: false })
    assert.equal(certificate?.fingerprint, new X509Certificate(credentials.cert).fingerprint256)
  })
}

test('old protocol versions are accepted only without verification', async () => {
  const options: tls.TlsOptions = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' }
  await assert.rejects(handshake({ credentials: good, options }), /^TlsError: TLS handshake failed/)
  assert.equal((await handshake({ credentials: good, options, verify: false })).group, 'X25519')
})

test('a server without TLS is distinguished from one that closes the connection', async () => {
  const talk = async (onConnection: (socket: net.Socket) => void) => {
    await using listener = await listen(net.createServer(onConnection))
    const { socket } = await connectTcp(['127.0.0.1'], listener.port, never)
    const error = await connectTls(socket, { host: 'shop.test', contexts, verify: true }, never).catch(
      (e: unknown) => e,
    )
    assert.ok(socket.destroyed)
    await listener.quiet()
    return (error as Error).message
  }
  const plain = await talk((socket) => socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')))
  assert.equal(plain, 'TLS handshake failed: the server does not use TLS on this port')
  assert.equal(
    await talk((socket) => socket.once('data', () => socket.destroy())),
    'Connection closed during the TLS handshake',
  )
})

test('a handshake ends when the signal aborts, and closes its socket', async () => {
  const controller = new AbortController()
  // The client's first message has arrived.
  await using listener = await listen(net.createServer((socket) => socket.on('data', () => controller.abort('enough'))))
  const { socket } = await connectTcp(['127.0.0.1'], listener.port, never)
  const handshaking = connectTls(socket, { host: 'shop.test', contexts, verify: true }, controller.signal)
  await assert.rejects(handshaking, (reason) => reason === 'enough')
  await listener.quiet()
  const { socket: second } = await connectTcp(['127.0.0.1'], listener.port, never)
  await assert.rejects(
    connectTls(second, { host: 'x', contexts, verify: true }, AbortSignal.abort('no')),
    (r) => r === 'no',
  )
  await listener.quiet()
})

test('contexts are created once', () => {
  assert.equal(contexts.verified(), contexts.verified())
  assert.equal(contexts.unverified(), contexts.unverified())
  assert.notEqual(contexts.verified(), contexts.unverified())
})
