import assert from 'node:assert/strict'
import http from 'node:http'
import https from 'node:https'
import { test } from 'node:test'
import { createGuard } from '../../../../src/outbound/guard.ts'
import { dnsResolver } from '../../../../src/outbound/name-resolver.ts'
import { listen, NXDOMAIN, recordingSite, startDns } from '../../../outbound/fixtures.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { startDnsServer } from '../../../support/dns-server.ts'
import { checkHttp, errorOf } from '../probing.ts'

const authority = makeAuthority('Private root')

/** Redirects `/3` to `/2`, to `/1`, to `/0`, which answers 200. */
const counting = () =>
  recordingSite((path, response) => {
    const left = Number(path.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(302, { location: `/${left - 1}` }).end()
  })

test('maxRedirects limits redirects; with 0 the redirect itself is judged', async () => {
  await using site = await counting()
  const with2 = (path: string) => checkHttp({ url: site.at(path), request: { maxRedirects: 2 } })
  assert.equal((await with2('/2')).outcome, 'success')
  assert.equal(errorOf(await with2('/3')), 'More than 2 redirects')
  const sample = await checkHttp({ url: site.at('/1'), expectedStatus: [302], request: { maxRedirects: 0 } })
  assert.partialDeepStrictEqual(sample, { outcome: 'success', statusCode: 302 })
})

test('ca replaces the built-in authorities', async () => {
  const credentials = authority.issue({ hosts: ['127.0.0.1'] })
  await using server = await listen(https.createServer(credentials, (_request, response) => response.end('hi')))
  const url = `https://127.0.0.1:${server.port}/`
  assert.match(errorOf(await checkHttp({ url })), /^The certificate/)
  assert.equal((await checkHttp({ url, request: { ca: authority.cert } })).outcome, 'success')
  const other = makeAuthority('Another root')
  assert.match(errorOf(await checkHttp({ url, request: { ca: other.cert } })), /^The certificate/)
})

const clients = makeAuthority('Clients')

/** Requires a certificate of `clients` and answers with its name. */
function demanding(location?: string) {
  const options = { ...authority.issue({ hosts: ['127.0.0.1'] }), ca: clients.cert, requestCert: true }
  return listen(
    https.createServer(options, (_request, response) =>
      location === undefined ? response.end('hi') : response.writeHead(302, { location }).end(),
    ),
  )
}

test('a client certificate is presented', async () => {
  await using server = await demanding()
  const url = `https://127.0.0.1:${server.port}/`
  const ca = authority.cert
  assert.equal(errorOf(await checkHttp({ url, request: { ca } })), 'The server requires a client certificate')
  const clientCertificate = clients.issue({ hosts: ['pharos'] })
  assert.equal((await checkHttp({ url, request: { ca, clientCertificate } })).outcome, 'success')
  assert.equal((await checkHttp({ url, verifySsl: false, request: { clientCertificate } })).outcome, 'success')
})

test('a client certificate is not presented to another origin', async () => {
  await using second = await demanding()
  await using first = await demanding(`https://127.0.0.1:${second.port}/`)
  const request = { ca: authority.cert, clientCertificate: clients.issue({ hosts: ['pharos'] }) }
  const sample = await checkHttp({ url: `https://127.0.0.1:${first.port}/`, request })
  assert.equal(errorOf(sample), 'The server requires a client certificate')
})

test('a key that does not fit its certificate fails before anything is connected', async () => {
  await using server = await demanding()
  const [{ cert }, { key }] = [clients.issue({ hosts: ['a'] }), clients.issue({ hosts: ['b'] })]
  const sample = await checkHttp({
    url: `https://127.0.0.1:${server.port}/`,
    request: { clientCertificate: { cert, key } },
  })
  assert.equal(errorOf(sample), 'The client certificate, its key or the certificate authorities cannot be used')
  assert.equal(server.connections(), 0)
})

test('serverName is sent and verified instead of the host', async () => {
  const names: string[] = []
  const SNICallback = (name: string, take: (error: null) => void) => {
    names.push(name)
    take(null)
  }
  const credentials = { ...authority.issue({ hosts: ['shop.test'] }), SNICallback }
  await using listener = await listen(https.createServer(credentials, (_request, response) => response.end('hi')))
  const url = `https://127.0.0.1:${listener.port}/`
  const ca = authority.cert
  assert.equal((await checkHttp({ url, request: { ca, serverName: 'shop.test' } })).outcome, 'success')
  assert.match(errorOf(await checkHttp({ url, request: { ca, serverName: 'x.test' } })), /not valid for x\.test/)
  assert.deepEqual(names, ['shop.test', 'x.test'])
})

test('an address family is the only one that is looked up and connected to', async () => {
  await using v6 = await listen(
    http.createServer((_request, response) => response.end('six')),
    '::1',
  )
  await using dns = await startDns((name, type) =>
    name !== 'two.test' ? NXDOMAIN : { records: [type === 'A' ? '127.0.0.1' : '::1'] },
  )
  const named = createGuard({ policy: 'allow', resolver: dnsResolver(dns.resolver) })
  const over = (addressFamily: 'IPV4' | 'IPV6', host = 'two.test') =>
    checkHttp({ url: `http://${host}:${v6.port}/`, request: { addressFamily } }, named)
  assert.partialDeepStrictEqual(await over('IPV6'), { outcome: 'success', ip: '::1' })
  assert.deepEqual(dns.questions, ['two.test AAAA'])
  assert.equal(errorOf(await over('IPV4')), `Connection refused by 127.0.0.1:${v6.port}`)
  assert.equal(errorOf(await over('IPV6', 'none.test')), 'none.test has no IPv6 address')
  assert.equal(errorOf(await over('IPV6', '127.0.0.1')), '127.0.0.1 has no IPv6 address')
})

test('a resolver of the monitor is asked, and its faults are failures', async () => {
  await using site = await counting()
  await using dns = await startDnsServer(({ name, type }) =>
    name === 'shop.test' && type === 'A' ? { records: ['127.0.0.1'] } : { rcode: 3 },
  )
  const url = `http://shop.test:${site.port}/0`
  assert.equal((await checkHttp({ url, request: { resolver: dns.address } })).outcome, 'success')
  const unknown = await checkHttp({ url: 'http://nil.test/', request: { resolver: dns.address } })
  assert.equal(errorOf(unknown), 'Could not resolve nil.test')
  const dead = await checkHttp({ url, request: { resolver: '127.0.0.1:1' } })
  assert.partialDeepStrictEqual(dead, {
    outcome: 'failure',
    code: 'DNS',
    error: 'The DNS server 127.0.0.1:1 could not be reached to look up shop.test',
  })
})
