import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import { after, before, describe, test } from 'node:test'
import { request } from '../../../src/monitoring/monitor-options/request.ts'
import { listen } from '../../outbound/fixtures.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import { startHttpProxy } from '../../support/proxies.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const authority = makeAuthority('Private root')
const own = authority.issue({ hosts: ['pharos'] })
const pathsOf = (body: object) => request.faults?.(body as never).map(({ path }) => path)

test('certificates, keys and addresses that can never work are refused', () => {
  const { cert, key } = own
  assert.deepEqual(pathsOf({ ca: `root\n${authority.cert}${cert}`, clientCertificate: { cert, key } }), [])
  assert.deepEqual(pathsOf({ ca: 'x' }), ['ca'])
  assert.deepEqual(pathsOf({ ca: `${cert}${cert.slice(0, 200)}` }), ['ca'])
  assert.deepEqual(pathsOf({ clientCertificate: { cert: key, key: cert } }), [
    ...['clientCertificate.cert', 'clientCertificate.key'],
  ])
  const other = authority.issue({ hosts: ['other'] }).key
  assert.deepEqual(pathsOf({ clientCertificate: { cert, key: other } }), ['clientCertificate.key'])
  assert.deepEqual(pathsOf({ clientCertificate: { cert, key: 'set' } }), [])
  const locked = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
  }).privateKey
  const [fault] = request.faults?.({ clientCertificate: { cert, key: locked } }) ?? []
  assert.equal(fault?.message, 'must not be encrypted')
  for (const proxyUrl of ['ftp://a', 'http://', 'socks5://a/b', 'http://a?b', 'http://a:0', 'http://%zz@a', 'a:1']) {
    assert.deepEqual(pathsOf({ proxyUrl }), ['proxyUrl'], proxyUrl)
  }
  for (const proxyUrl of ['http://a:3128', 'https://u:p%40@a/', 'socks5://[::1]:1080', 'SOCKS5://a']) {
    assert.deepEqual(pathsOf({ proxyUrl }), [], proxyUrl)
  }
  for (const serverName of ['a b', 'a:1', '[::1]', '-a', 'a..b', 'münchen.de']) {
    assert.deepEqual(pathsOf({ serverName }), ['serverName'], serverName)
  }
  assert.deepEqual(pathsOf({ serverName: 'shop.example' }), [])
  assert.deepEqual(pathsOf({ auth: { type: 'BEARER', token: 'a\r\nX: y' } }), ['auth.token'])
  const digest = { type: 'DIGEST', username: 'a', password: 'b' }
  assert.deepEqual(pathsOf({ auth: digest, protocol: 'GRPC_HEALTH' }), ['auth.type'])
  assert.deepEqual(
    request.misfits?.({ protocol: 'WEBSOCKET' }, 'KEYWORD').map(({ path }) => path),
    ['protocol'],
  )
})

describe('request options in a running server', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer('sqlite', { env: { PHAROS_PRIVATE_TARGETS: 'allow', PHAROS_CONFIRM_DELAYS: '' } })
  })
  after(() => server.stop())

  test('are used by checks, and a failure shows none of their secrets', async () => {
    const clients = makeAuthority('Clients')
    const options = { ...authority.issue({ hosts: ['shop.test'] }), ca: clients.cert, requestCert: true }
    await using target = await listen(
      https.createServer(options, ({ headers }, response) =>
        response.writeHead(headers.authorization === `Basic ${btoa('me:planted-1')}` ? 200 : 401).end('no entry'),
      ),
    )
    await using proxy = await startHttpProxy({ login: 'me:planted-2' })
    const client = server.client()
    const { id } = await createMonitor(client, smallest('HTTP', { url: `https://127.0.0.1:${target.port}/` }))
    const sent = {
      auth: { type: 'BASIC', username: 'me', password: 'planted-1' },
      ca: authority.cert,
      clientCertificate: clients.issue({ hosts: ['pharos'] }),
      serverName: 'shop.test',
      proxyUrl: `http://me:planted-2@127.0.0.1:${proxy.port}`,
    }
    const shown = (await client.send('PUT', `/monitors/${id}/request`, sent)).body
    assert.equal(shown.clientCertificate.key, 'set')
    const check = async () => (await client.post(`/monitors/${id}/check`, {})).body
    assert.equal((await check()).state, 'UP')
    assert.deepEqual(proxy.asked.at(-1), `CONNECT 127.0.0.1:${target.port}`)
    // Kept as shown, with a certificate that the stored key does not fit.
    const { cert } = clients.issue({ hosts: ['x'] })
    const body = { ...shown, clientCertificate: { ...shown.clientCertificate, cert } }
    expectError(await client.send('PUT', `/monitors/${id}/request`, body), 'validation_error', [
      'clientCertificate.key',
    ])
    await client.send('PUT', `/monitors/${id}/request`, { ...shown, auth: { ...sent.auth, password: 'planted-3' } })
    assert.equal((await check()).state, 'DOWN')
    const { data } = (await client.get(`/incidents?monitorId=${id}`)).body
    assert.match(JSON.stringify(data), /HTTP 401 Unauthorized/)
    assert.doesNotMatch(JSON.stringify(data), /planted|BEGIN/)
  })

  test('BOTH checks IPv4 and IPv6', async () => {
    const answer: http.RequestListener = (_request, response) => response.end()
    await using target = await listen(http.createServer(answer))
    const client = server.client()
    const settings = smallest('HTTP', { url: `http://localhost:${target.port}/` })
    const options = { request: { addressFamily: 'BOTH' } }
    const tried = async () => (await client.post('/monitors/try', { ...settings, options })).body
    assert.equal((await tried()).error, `IPv6 fails, IPv4 works: Connection refused by [::1]:${target.port}`)
    await using _v6 = await listen(http.createServer(answer), '::1', target.port)
    assert.equal((await tried()).outcome, 'SUCCESS')
  })
})
