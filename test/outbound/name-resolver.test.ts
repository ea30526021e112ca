import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { LookupError } from '../../src/outbound/errors.ts'
import { createGuard } from '../../src/outbound/guard.ts'
import { parseHostsFile } from '../../src/outbound/hosts-file.ts'
import { dnsResolver, systemResolver } from '../../src/outbound/name-resolver.ts'
import { type DnsAnswer, NXDOMAIN, never, SERVFAIL, startDns } from './fixtures.ts'
import { startVirtualTime } from './virtual-time.ts'

const only = (replies: Record<string, DnsAnswer>) => (name: string, type: string) =>
  replies[`${name} ${type}`] === undefined ? NXDOMAIN : (replies[`${name} ${type}`] ?? null)

test('both address families are queried and alternate, IPv4 first', async () => {
  await using dns = await startDns(
    only({
      'two.test A': { records: ['192.0.2.1', '192.0.2.2', '192.0.2.3'] },
      'two.test AAAA': { records: ['2001:db8::1'] },
    }),
  )
  const found = await dnsResolver(dns.resolver)('two.test', never)
  assert.deepEqual(found, ['192.0.2.1', '2001:db8::1', '192.0.2.2', '192.0.2.3'])
})

test('nothing is cached, whatever TTL the answer has', async () => {
  let asked = 0
  await using dns = await startDns((_name, type) => (type === 'A' ? { records: [`192.0.2.${++asked}`] } : {}))
  const names = dnsResolver(dns.resolver)
  assert.deepEqual(await names('fresh.test', never), ['192.0.2.1'])
  assert.deepEqual(await names('fresh.test', never), ['192.0.2.2'])
})

test('an AAAA query without an answer is waited for only 300 ms', async () => {
  const answer = (_name: string, type: string) => (type === 'A' ? { records: ['192.0.2.1'] } : null)
  await using dns = await startDns(answer)
  using _time = startVirtualTime()
  assert.deepEqual(await dnsResolver(dns.resolver)('half.test', never), ['192.0.2.1'])
})

test('an error of one family does not hide the addresses of the other', async () => {
  await using dns = await startDns((_name, type) => (type === 'AAAA' ? { records: ['2001:db8::7'] } : SERVFAIL))
  assert.deepEqual(await dnsResolver(dns.resolver)('odd.test', never), ['2001:db8::7'])
})

const FAULTS: [string, (name: string, type: string) => DnsAnswer, Partial<LookupError>][] = [
  ['no such name', () => NXDOMAIN, { code: 'DNS', isLocalFault: false, message: 'Could not resolve x.test' }],
  ['a name without addresses', () => ({}), { code: 'DNS', isLocalFault: false, message: 'Could not resolve x.test' }],
  [
    'a server that fails',
    () => SERVFAIL,
    { code: 'DNS', isLocalFault: false, message: 'DNS lookup of x.test failed (ESERVFAIL)' },
  ],
  ['a server that is silent', () => null, { code: 'TIMEOUT', message: 'No DNS server responded for x.test' }],
  [
    'a fault in one family, nothing in the other',
    (_name, type) => (type === 'A' ? {} : SERVFAIL),
    { code: 'DNS', message: 'DNS lookup of x.test failed (ESERVFAIL)' },
  ],
]

for (const [what, answer, expected] of FAULTS) {
  test(`a failed lookup tells why: ${what}`, async () => {
    await using dns = await startDns(answer, { timeoutMs: 400 })
    await assert.rejects(dnsResolver(dns.resolver)('x.test', never), (error: LookupError) => {
      assert.ok(error instanceof LookupError)
      assert.partialDeepStrictEqual(
        { code: error.code, isLocalFault: error.isLocalFault, message: error.message },
        expected,
      )
      return true
    })
  })
}

test('without a reachable DNS server it is a local fault', async () => {
  const dns = await startDns(() => null)
  await dns[Symbol.asyncDispose]()
  await assert.rejects(dnsResolver(dns.resolver)('x.test', never), { code: 'DNS', isLocalFault: true })
})

test('a lookup is not awaited after its signal aborts', async () => {
  const controller = new AbortController()
  await using dns = await startDns(() => {
    controller.abort('enough')
    return null
  })
  const guard = createGuard({ policy: 'allow', resolver: dnsResolver(dns.resolver) })
  await assert.rejects(guard.resolve('slow.test', controller.signal), (reason) => reason === 'enough')
  await assert.rejects(guard.resolve('slow.test', AbortSignal.abort('stop')), (reason) => reason === 'stop')
})

test('the hosts file is used first, then DNS, then the system', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'pharos-hosts-'))
  const hostsFile = join(folder.path, 'hosts')
  writeFileSync(hostsFile, '192.0.2.9  Shop.Test other # a comment\n2001:db8::9 shop.test\n')
  await using dns = await startDns(only({ 'shop.test A': { records: ['192.0.2.1'] } }))
  const names = systemResolver({ hostsFile, queries: () => dns.resolver })
  assert.deepEqual(await names('SHOP.test.', never), ['192.0.2.9', '2001:db8::9'])
  assert.equal(dns.questions.length, 0)
  // DNS knows no such name; getaddrinfo reads it as an address of old.
  assert.deepEqual(await names('127.1', never), ['127.0.0.1'])
  assert.ok(dns.questions.some((question) => question === '127.1 A'))
})

test('many names that only the system knows are all found', async () => {
  await using dns = await startDns(() => NXDOMAIN)
  const names = systemResolver({ hostsFile: '/nonexistent', queries: () => dns.resolver })
  const found = await Promise.all(Array.from({ length: 20 }, (_, i) => names(`127.${i + 1}`, never)))
  assert.deepEqual(
    found.flat(),
    Array.from({ length: 20 }, (_, i) => `127.0.0.${i + 1}`),
  )
})

test('a DNS error for a name without a dot does not hide it', async () => {
  await using dns = await startDns(() => SERVFAIL)
  const names = systemResolver({ hostsFile: '/nonexistent', queries: () => dns.resolver })
  assert.deepEqual(await names('2130706433', never), ['127.0.0.1'])
  await assert.rejects(names('127.1', never), { message: 'DNS lookup of 127.1 failed (ESERVFAIL)' })
})

test('hosts files are parsed as the system does', () => {
  const names = parseHostsFile(
    '# nothing\n\n127.0.0.1\tlocalhost\n::1 localhost ip6-localhost\nbad line\n127.0.0.1 localhost\r\n',
  )
  assert.deepEqual(
    [...names],
    [
      ['localhost', ['127.0.0.1', '::1']],
      ['ip6-localhost', ['::1']],
    ],
  )
})

test('localhost and names below it are this machine, without a query', async () => {
  await using dns = await startDns(() => ({ records: ['192.0.2.1'] }))
  const guard = createGuard({ policy: 'allow', resolver: dnsResolver(dns.resolver) })
  for (const host of ['localhost', 'LOCALHOST.', 'api.localhost']) {
    assert.deepEqual(await guard.resolve(host, never), { addresses: ['127.0.0.1', '::1'] })
  }
  assert.deepEqual(dns.questions, [])
})
