import assert from 'node:assert/strict'
import dns from 'node:dns/promises'
import { mock, test } from 'node:test'
import type { FullTarget } from '../../../../src/monitoring/monitor-types/definitions.ts'
import { type DnsTools, probeDns } from '../../../../src/monitoring/monitor-types/dns/probe.ts'
import { createDnsClient } from '../../../../src/outbound/dns-client.ts'
import { createGuard } from '../../../../src/outbound/guard.ts'
import { never } from '../../../outbound/fixtures.ts'
import {
  type DnsAnswer,
  type DnsQuestion,
  NXDOMAIN,
  REFUSED,
  SERVFAIL,
  startDnsServer,
} from '../../../support/dns-server.ts'
import { closedPort } from '../../../support/ports.ts'
import { shownSample } from '../../../support/reasons.ts'
import { guard } from '../probing.ts'
import { targetOf } from '../target.ts'

const toolsAt = (...servers: readonly string[]) =>
  ({ guard, queryDns: createDnsClient(servers, 'allow'), policy: 'allow' }) as const

const probe = (tools: DnsTools, parts: Partial<FullTarget> = {}, signal = never) =>
  shownSample(probeDns(targetOf({ url: 'example.test', ...parts }), tools, signal))

/** Probes example.test, whose server answers as given. */
async function query(answer: DnsAnswer | ((question: DnsQuestion) => DnsAnswer), parts: Partial<FullTarget> = {}) {
  await using server = await startDnsServer(typeof answer === 'function' ? answer : () => answer)
  return { sample: await probe(toolsAt(server.address), parts), questions: [...server.questions] }
}

const success = (records: readonly string[]) => ({ outcome: 'success', records })
const failure = (code: string, error: string, kind = 'connection') => ({ outcome: 'failure', code, kind, error })

test('each record type is queried and normalised', async () => {
  const cases = [
    ['A', ['192.0.2.9', '192.0.2.1', '192.0.2.9'], ['192.0.2.1', '192.0.2.9']],
    ['AAAA', ['2001:db8:0:0::A'], ['2001:db8::a']],
    ['CNAME', ['Shop.Example.NET.'], ['shop.example.net']],
    ['MX', ['20 Mail2.Example.test.', '10 mail.example.test'], ['10 mail.example.test', '20 mail2.example.test']],
    ['MX', ['0 .'], ['0 .']],
    ['TXT', [['v=spf1 include:a.test ', '-ALL'], 'Grü\u00dfe.'], ['grüße.', 'v=spf1 include:a.test -all']],
    ['NS', ['NS2.test.', 'ns1.test'], ['ns1.test', 'ns2.test']],
  ] as const
  for (const [dnsRecordType, records, expected] of cases) {
    const { sample, questions } = await query({ records }, { dnsRecordType })
    assert.partialDeepStrictEqual(sample, success(expected))
    assert.ok(sample.outcome === 'success' && Number.isInteger(sample.responseMs))
    assert.deepEqual(questions, [{ name: 'example.test', type: dnsRecordType, over: 'UDP' }])
  }
})

test('an alias is followed to its addresses', async () => {
  const { sample } = await query({ alias: 'lb.example.net', records: ['192.0.2.1'] })
  assert.partialDeepStrictEqual(sample, success(['192.0.2.1']))
})

test('a truncated answer is fetched over TCP', async () => {
  const records = Array.from({ length: 200 }, (_, i) => `192.0.2.${i}`)
  const { sample, questions } = await query({ records, truncated: true })
  assert.ok(sample.outcome === 'success' && sample.records?.length === 200)
  assert.deepEqual(
    questions.map(({ over }) => over),
    ['UDP', 'TCP'],
  )
})

test('the name is taken from any form of url', async () => {
  for (const url of ['https://Example.test:8443/a?b#c', 'EXAMPLE.test.', 'example.test:53']) {
    const { questions } = await query({ records: ['192.0.2.1'] }, { url })
    assert.equal(questions[0]?.name, 'example.test')
  }
  for (const url of [null, '', 'https://', 'two words']) {
    assert.partialDeepStrictEqual(
      await probe(toolsAt(), { url }),
      failure('DNS', `"${url ?? ''}" is not a host name`, 'content'),
    )
  }
})

test('nothing is cached, whatever TTL the records have', async () => {
  await using server = await startDnsServer(() => ({ records: ['192.0.2.1'] }))
  const tools = toolsAt(server.address)
  for (let i = 0; i < 3; i++) await probe(tools)
  assert.equal(server.questions.length, 3)
})

test('every expected value must be present', async () => {
  const records = ['192.0.2.1', '192.0.2.2']
  for (const dnsExpected of [null, '', ' , \n', '192.0.2.1', ' 192.0.2.2 ,192.0.2.1', '192.0.2.1\r\n192.0.2.2\n']) {
    assert.equal((await query({ records }, { dnsExpected })).sample.outcome, 'success', String(dnsExpected))
  }
  const { sample } = await query({ records: ['192.0.2.2'] }, { dnsExpected: '192.0.2.1' })
  assert.partialDeepStrictEqual(sample, failure('DNS_MISMATCH', 'Expected 192.0.2.1, got 192.0.2.2', 'content'))
  const partly = await query({ records }, { dnsExpected: '192.0.2.1, 192.0.2.3' })
  const error = 'Expected 192.0.2.3, got 192.0.2.1, 192.0.2.2'
  assert.partialDeepStrictEqual(partly.sample, failure('DNS_MISMATCH', error, 'content'))
})

test('a message about many long records is shortened', async () => {
  const records = Array.from({ length: 9 }, (_, i) => [String(i).repeat(250)])
  const { sample } = await query({ records, truncated: true }, { dnsRecordType: 'TXT', dnsExpected: 'x' })
  assert.ok(sample.outcome === 'failure' && sample.error.length < 1200 && sample.error.endsWith('… and 4 more'))
})

test('errors that a DNS server reports make the check fail', async () => {
  const cases: [DnsAnswer, string][] = [
    [NXDOMAIN, 'example.test does not exist (NXDOMAIN)'],
    [{}, 'example.test has no MX records'],
    [SERVFAIL, 'The DNS server could not resolve example.test (SERVFAIL)'],
    [REFUSED, 'The DNS server refused the query for example.test (REFUSED)'],
    [
      { garbage: Buffer.from('nothing that could be read') },
      'The DNS server sent an invalid response for example.test',
    ],
    [{ garbage: Buffer.alloc(0) }, 'The DNS server sent an invalid response for example.test'],
  ]
  for (const [answer, error] of cases) {
    const { sample } = await query(answer, { dnsRecordType: 'MX' })
    assert.partialDeepStrictEqual(sample, failure('DNS', error))
  }
  const alias = await query({ alias: 'nowhere.test' })
  assert.partialDeepStrictEqual(alias.sample, failure('DNS', 'example.test has no A records'))
})

/** The deadline of a probe passes when the test says so; the timeouts of single tries stay real. */
function controlDeadline() {
  mock.timers.enable({ apis: ['setTimeout'] })
  return { pass: (ms: number) => mock.timers.tick(ms), [Symbol.dispose]: () => mock.timers.reset() }
}

test('a DNS server that does not answer is asked again, until the deadline', async () => {
  using deadline = controlDeadline()
  let seen = 0
  const secondQuery = () => {
    seen += 1
    if (seen === 2) deadline.pass(400)
    return null
  }
  const { sample, questions } = await query(secondQuery, { timeoutMs: 400 })
  assert.partialDeepStrictEqual(
    sample,
    failure('TIMEOUT', 'DNS lookup of A records for example.test timed out after 400 ms'),
  )
  assert.equal(questions.length, 2)
})

test('a DNS server that never answers over TCP is a timeout', async () => {
  using deadline = controlDeadline()
  const answer = ({ over }: DnsQuestion) => {
    if (over === 'UDP') return { truncated: true }
    deadline.pass(300)
    return null
  }
  const { sample } = await query(answer, { timeoutMs: 300 })
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'TIMEOUT' })
})

test('a slow answer counts, however fast earlier answers were', async () => {
  await using server = await startDnsServer(({ name }) => ({
    records: ['192.0.2.1'],
    ...(name === 'slow.test' && { afterMs: 600 }),
  }))
  const tools = toolsAt(server.address)
  for (let i = 0; i < 20; i++) await probe(tools, { url: 'fast.test' })
  const slow = await probe(tools, { url: 'slow.test', timeoutMs: 60_000 })
  assert.ok(slow.outcome === 'success' && slow.responseMs !== undefined)
  assert.ok(slow.responseMs >= 590, `${slow.responseMs} ms`)
  assert.equal(server.questions.filter(({ name }) => name === 'slow.test').length, 1)
})

test('a lost query is repeated', async () => {
  let seen = 0
  const { sample } = await query(() => (seen++ === 0 ? null : { records: ['192.0.2.1'] }), { timeoutMs: 3000 })
  assert.partialDeepStrictEqual(sample, success(['192.0.2.1']))
})

test('a server that did not answer is not asked first again', async () => {
  await using dead = await startDnsServer(() => null)
  await using alive = await startDnsServer(() => ({ records: ['192.0.2.1'] }))
  const tools = toolsAt(dead.address, alive.address)
  assert.partialDeepStrictEqual(await probe(tools), success(['192.0.2.1']))
  const queries = dead.questions.length
  assert.ok(queries > 0)
  for (let i = 0; i < 5; i++) assert.partialDeepStrictEqual(await probe(tools), success(['192.0.2.1']))
  assert.equal(dead.questions.length, queries)
})

test('without a reachable DNS server the check is inconclusive', async () => {
  const sample = await probe(toolsAt(`127.0.0.1:${await closedPort()}`))
  const reason = 'No DNS server could be reached to look up example.test (ECONNREFUSED)'
  assert.deepEqual(sample, { outcome: 'inconclusive', reason })
})

test('a cancelled check is inconclusive, and cancels its query', async (t) => {
  const stop = new AbortController()
  await using server = await startDnsServer(() => {
    stop.abort()
    return null
  })
  const cancel = t.mock.method(dns.Resolver.prototype, 'cancel')
  const sample = await probe(toolsAt(server.address), {}, stop.signal)
  assert.deepEqual(sample, { outcome: 'inconclusive', reason: 'The check was cancelled' })
  assert.equal(cancel.mock.callCount(), 1)
})

test('a DNS server of the monitor is asked instead, if the guard permits it', async () => {
  await using own = await startDnsServer(() => ({ records: ['192.0.2.9'] }))
  await using usual = await startDnsServer(() => ({ records: ['192.0.2.1'] }))
  const request = { resolver: own.address }
  const sample = await probe(toolsAt(usual.address), { request })
  assert.partialDeepStrictEqual(sample, success(['192.0.2.9']))
  assert.deepEqual(usual.questions, [])
  const strict = createGuard({ policy: 'deny' })
  const tools = { guard: strict, queryDns: createDnsClient([usual.address], 'deny'), policy: 'deny' } as const
  const refused = await probe(tools, { request })
  const error = '127.0.0.1 is a private address, which this installation does not allow'
  assert.partialDeepStrictEqual(refused, { outcome: 'failure', kind: 'content', error })
  assert.equal(own.questions.length, 1)
  const dead = await probe(toolsAt(usual.address), { request: { resolver: `127.0.0.1:${await closedPort()}` } })
  assert.partialDeepStrictEqual(dead, { outcome: 'failure', code: 'DNS' })
})
