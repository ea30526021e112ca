import assert from 'node:assert/strict'
import http from 'node:http'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { probeHttp } from '../../src/monitoring/monitor-types/http/probe.ts'
import { probePort } from '../../src/monitoring/monitor-types/port/probe.ts'
import { parseAddressPolicy } from '../../src/outbound/address-policy.ts'
import { createGuard, type Guard } from '../../src/outbound/guard.ts'
import { dnsResolver, systemResolver } from '../../src/outbound/name-resolver.ts'
import { targetOf } from '../monitoring/monitor-types/target.ts'
import { type ShownSample, shownSample } from '../support/reasons.ts'
import { type DnsServer, type Listener, listen, never, startDns } from './fixtures.ts'
import { answerFrom, LITERALS, NAMES, policy, startMovingName, withoutLoopbacks } from './private-hosts.ts'

function assertRefused(sample: ShownSample, what: string): void {
  assert.equal(sample.outcome, 'failure', `${what}: ${JSON.stringify(sample)}`)
  if (sample.outcome !== 'failure') return
  assert.match(sample.error, /private address|Could not resolve|no valid URL|not a valid URL/, what)
  assert.equal(sample.ip, undefined, what)
}

describe('with private addresses denied, nothing reaches a canary on this machine', () => {
  let canary: Listener
  let dns: DnsServer
  let guard: Guard

  before(async () => {
    canary = await listen(
      net.createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')),
      '::',
    ).catch(() => listen(net.createServer(), '0.0.0.0'))
    dns = await startDns(answerFrom(NAMES))
    // The system's own look-up stands behind DNS, as in production: it reads 127.1 and 0x7f000001 as addresses.
    guard = createGuard({
      policy: 'deny',
      resolver: systemResolver({ hostsFile: '/etc/hosts', queries: () => dns.resolver }),
    })
  })
  after(async () => {
    await dns[Symbol.asyncDispose]()
    await canary[Symbol.asyncDispose]()
  })

  test('by HTTP and HTTPS', async () => {
    for (const host of [...LITERALS, ...Object.keys(NAMES)]) {
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}:${canary.port}/`
        assertRefused(await shownSample(probeHttp(targetOf({ url }), { guard }, never)), url)
      }
    }
    assert.equal(canary.connections(), 0)
  })

  test('by HTTP with credentials that look like a host', async () => {
    const url = `http://example.com:80@127.0.0.1:${canary.port}/`
    assertRefused(await shownSample(probeHttp(targetOf({ url }), { guard }, never)), url)
    assert.equal(canary.connections(), 0)
  })

  test('by PORT', async () => {
    const strange = ['::1', '::ffff:127.0.0.1', 'fe80::1%lo', '::1%lo']
    // What a URL would decode is a plain name here, and the system's look-up is not asked for names of the internet.
    const hosts = [...LITERALS, ...Object.keys(NAMES), ...strange].filter(
      (host) => !/[％%。１]/.test(host) || host.includes('::'),
    )
    for (const host of hosts) {
      assertRefused(await shownSample(probePort(targetOf({ host, port: canary.port }), { guard }, never)), host)
    }
    assert.equal(canary.connections(), 0)
  })

  test('with private addresses allowed, the canary is reached', async () => {
    const open = createGuard({ policy: 'allow', resolver: dnsResolver(dns.resolver) })
    for (const host of ['127.0.0.1', 'loopback.test', 'localhost']) {
      const sample = await shownSample(probePort(targetOf({ host, port: canary.port }), { guard: open }, never))
      assert.equal(sample.outcome, 'success', host)
    }
    assert.equal(canary.connections(), 3)
  })
})

test('one forbidden address blocks a name, and the error does not reveal the address', async () => {
  await using dns = await startDns(answerFrom({ 'mixed.test': ['127.0.0.1', '10.1.2.3'] }))
  const guard = createGuard({ policy: parseAddressPolicy('127.0.0.0/8'), resolver: dnsResolver(dns.resolver) })
  await assert.rejects(guard.resolve('mixed.test', never), {
    code: 'BLOCKED_ADDRESS',
    message: 'mixed.test resolves to a private address, which this installation does not allow',
  })
})

describe('DNS rebinding', { skip: withoutLoopbacks }, () => {
  test('the connection goes to the address that was checked', async () => {
    await using name = await startMovingName((response) => response.end('hello'))
    const first = await shownSample(probeHttp(targetOf({ url: name.url }), name, never))
    assert.partialDeepStrictEqual(first, { outcome: 'success', ip: '127.0.0.2' })
    name.addresses = ['127.0.0.1']
    assertRefused(await shownSample(probeHttp(targetOf({ url: name.url }), name, never)), 'second look')
    assert.equal(name.canary.connections(), 0)
  })

  test('a redirect to the same name is resolved and checked again', async () => {
    await using name = await startMovingName((response, moving) => {
      moving.addresses = ['127.0.0.1']
      response.writeHead(302, { location: '/again' }).end()
    })
    assertRefused(await shownSample(probeHttp(targetOf({ url: name.url }), name, never)), 'redirect')
    assert.equal(name.canary.connections(), 0)
  })

  test('redirects to forbidden addresses are refused, however they are written', async () => {
    let location = ''
    await using allowed = await listen(
      http.createServer((_request, response) => response.writeHead(307, { location }).end()),
      '127.0.0.2',
    )
    await using canary = await listen(net.createServer())
    const guard = createGuard({ policy })
    const hosts = ['127.0.0.1', '127.1', '0x7f000001', '2130706433', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0']
    for (const host of hosts) {
      location = `//${host}:${canary.port}/`
      const url = `http://127.0.0.2:${allowed.port}/`
      assertRefused(await shownSample(probeHttp(targetOf({ url }), { guard }, never)), host)
    }
    assert.equal(allowed.connections(), hosts.length)
    assert.equal(canary.connections(), 0)
  })
})
