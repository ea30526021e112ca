import assert from 'node:assert/strict'
import dns from 'node:dns/promises'
import http from 'node:http'
import net from 'node:net'
import { networkInterfaces } from 'node:os'
import { after, before, describe, test } from 'node:test'
import { createGuard } from '../../src/outbound/guard.ts'
import { createHttpSender, type HttpSender } from '../../src/outbound/http-sender.ts'
import { dnsResolver, systemResolver } from '../../src/outbound/name-resolver.ts'
import type { HttpResult } from '../../src/outbound/outgoing-request.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { type DnsServer, type Listener, listen, startDns } from './fixtures.ts'
import { answerFrom, LITERALS, NAMES, policy, startMovingName, withoutLoopbacks } from './private-hosts.ts'

/** Names that an attacker's DNS server resolves to this machine, and unusual spellings of hosts. */
const MORE_NAMES = {
  'example.com': ['127.0.0.1'],
  'printer.local': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'router.home.arpa': ['192.168.1.1'],
  'xn--bcher-kva.test': ['127.0.0.1'],
}

/** PORT is replaced by the port of the canary. */
const WRITINGS = [
  'http://example.com:80@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT@localhost:PORT/',
  'http://user:secret@[::1]:PORT/',
  'http://example.com\\@127.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT\\hook',
  'http:127.0.0.1:PORT',
  'http:/127.0.0.1:PORT/',
  'http:////127.0.0.1:PORT/',
  'http://127.0\t.0.1:PORT/',
  'http://127.0.\n0.1:PORT/',
  ' http://127.0.0.1:PORT/',
  'HTTP://LOCALHOST:PORT/',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://127%2e0%2e0%2e1:PORT/',
  'http://127．0．0．1:PORT/',
  'http://loc\u00adalhost:PORT/',
  'http://ｌｏｃａｌｈｏｓｔ:PORT/',
  'http://localhost%e3%80%82:PORT/',
  'http://bücher.test:PORT/',
  'http://[::ffff:127.0.0.1%25lo]:PORT/',
  'http://[fe80::1%25lo]:PORT/',
  'http://[::1%lo]:PORT/',
  'http://127.0.0.1:PORT/#@example.com/',
  'http://127.0.0.1:PORT/?@example.com/',
  'http://0x7f。0x1:PORT/',
  'http://00000177.1:PORT/',
  'http://0:PORT/',
  'http://[::]:PORT/',
  'ftp://127.0.0.1:PORT/',
  'file:///etc/hosts',
  'gopher://127.0.0.1:PORT/',
  'ws://127.0.0.1:PORT/',
  'data:text/plain,hello',
]

function assertRefused(result: HttpResult, what: string): void {
  assert.ok(!result.answered, `${what}: ${JSON.stringify(result)}`)
  const isUrlFault = result.code === 'CONNECT' && result.error.startsWith('The address is not a valid')
  assert.ok(result.code === 'BLOCKED_ADDRESS' || result.code === 'DNS' || isUrlFault, `${what}: ${result.error}`)
  assert.equal(result.isLocalFault, false, what)
}

/** Listening on `::` reaches IPv4 and IPv6 loopback. */
function isIpv6Available(): boolean {
  return Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'))
}

const requestTo = (url: string) => ({ url, headers: {}, body: '{}' })

describe('with private addresses denied, no request reaches a canary on this machine', () => {
  const names = { ...NAMES, ...MORE_NAMES }
  const canaryServer = net.createServer()
  let canary: Listener
  let server: DnsServer
  let sender: HttpSender

  before(async () => {
    canary = await listen(canaryServer, isIpv6Available() ? '::' : '0.0.0.0')
    server = await startDns(answerFrom(names))
    const resolver = systemResolver({ hostsFile: '/etc/hosts', queries: () => server.resolver })
    sender = createHttpSender({ guard: createGuard({ policy: 'deny', resolver }) })
  })
  after(async () => {
    sender.close()
    await server[Symbol.asyncDispose]()
    await canary[Symbol.asyncDispose]()
  })

  test('the corpus has more than a hundred entries', () => {
    assert.ok(new Set([...LITERALS, ...Object.keys(names), ...WRITINGS]).size > 100)
  })

  test('by its host', async () => {
    for (const host of [...LITERALS, ...Object.keys(names)]) {
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}:${canary.port}/hook`
        assertRefused(await sender.send(requestTo(url)), url)
      }
    }
    assert.equal(canary.connections(), 0)
  })

  test('by the way the address is written', async () => {
    for (const writing of WRITINGS) {
      const url = writing.replaceAll('PORT', String(canary.port))
      assertRefused(await sender.send(requestTo(url)), url)
    }
    assert.equal(canary.connections(), 0)
  })

  test('by a name that is an alias of one that leads here', async () => {
    await using chain = await startDnsServer(({ type }) =>
      type === 'A' ? { alias: 'a.cdn.test', records: ['127.0.0.1'] } : { alias: 'a.cdn.test' },
    )
    const resolver = new dns.Resolver({ timeout: 400, tries: 1 })
    resolver.setServers([chain.address])
    const aliased = createHttpSender({ guard: createGuard({ policy: 'deny', resolver: dnsResolver(resolver) }) })
    assertRefused(await aliased.send(requestTo(`http://www.alias.test:${canary.port}/`)), 'alias')
    assert.ok(chain.questions.length > 0)
    assert.equal(canary.connections(), 0)
  })

  test('with private addresses allowed, the canary is reached', async () => {
    const open = createHttpSender({ guard: createGuard({ policy: 'allow', resolver: dnsResolver(server.resolver) }) })
    for (const host of ['127.0.0.1', 'loopback.test', 'localhost']) {
      const controller = new AbortController()
      canaryServer.once('connection', () => controller.abort())
      await open.send(requestTo(`http://${host}:${canary.port}/`), controller.signal)
    }
    assert.equal(canary.connections(), 3)
  })
})

describe('a name that moves', { skip: withoutLoopbacks }, () => {
  async function stage(other: string) {
    let requests = 0
    const name = await startMovingName((response) => {
      requests += 1
      response.end('hello')
    }, other)
    const sender = createHttpSender(name)
    return {
      name,
      sender,
      requests: () => requests,
      post: () => sender.send(requestTo(name.url)),
      async [Symbol.asyncDispose]() {
        sender.close()
        await name[Symbol.asyncDispose]()
      },
    }
  }

  test('to a forbidden address is refused, and its idle connection is closed', async () => {
    await using it = await stage('127.0.0.1')
    assert.ok((await it.post()).answered)
    assert.equal(it.sender.idleConnections, 1)
    it.name.addresses = ['127.0.0.1']
    assertRefused(await it.post(), 'rebound')
    assert.equal(it.sender.idleConnections, 0)
    await it.name.friend.quiet()
    assert.equal(it.requests(), 1)
    assert.equal(it.name.canary.connections(), 0)
  })

  test('half to a forbidden address is refused whole', async () => {
    await using it = await stage('127.0.0.1')
    assert.ok((await it.post()).answered)
    it.name.addresses = ['127.0.0.2', '127.0.0.1']
    assertRefused(await it.post(), 'mixed')
    assert.equal(it.requests(), 1)
    assert.equal(it.name.canary.connections(), 0)
  })

  test('to another address that is allowed is followed there: the idle connection is not reused', async () => {
    await using it = await stage('127.0.0.3')
    assert.ok((await it.post()).answered)
    it.name.addresses = ['127.0.0.3']
    const moved = await it.post()
    assert.ok(moved.answered && moved.body === 'canary', JSON.stringify(moved))
    assert.equal(it.requests(), 1)
    await it.name.friend.quiet()
  })

  test('between resolution and connection: only the address that was checked is used', async () => {
    await using it = await stage('127.0.0.1')
    const posting = it.post()
    it.name.addresses = ['127.0.0.1']
    const result = await posting
    assert.ok(result.answered ? result.body === 'hello' : result.code === 'BLOCKED_ADDRESS', JSON.stringify(result))
    assert.equal(it.name.canary.connections(), 0)
  })

  test('redirects to forbidden addresses are not followed', async () => {
    await using canary = await listen(net.createServer())
    for (const host of ['127.0.0.1', '0x7f.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]']) {
      const location = `http://${host}:${canary.port}/`
      await using redirecting = await listen(
        http.createServer((_request, response) => response.writeHead(307, { location }).end()),
        '127.0.0.2',
      )
      const sender = createHttpSender({ guard: createGuard({ policy }) })
      const result = await sender.send(requestTo(`http://127.0.0.2:${redirecting.port}/`))
      sender.close()
      assert.ok(result.answered && result.status === 307, JSON.stringify(result))
    }
    assert.equal(canary.connections(), 0)
  })
})
