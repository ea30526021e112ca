import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import type { ProbeTarget } from '../../../../src/contract/probe.ts'
import { createPinger, type Pinger, pingMethods } from '../../../../src/monitoring/monitor-types/ping/pinger.ts'
import { probePing } from '../../../../src/monitoring/monitor-types/ping/probe.ts'
import { createGuard } from '../../../../src/outbound/guard.ts'
import { dnsResolver } from '../../../../src/outbound/name-resolver.ts'
import { NXDOMAIN, never, startDns } from '../../../outbound/fixtures.ts'
import { type ShownSample, shownSample } from '../../../support/reasons.ts'
import { targetOf } from '../target.ts'

const guard = createGuard({ policy: 'allow' })
const pinger = createPinger()
after(() => pinger[Symbol.dispose]())
const method = pinger.methods()

const probe = (parts: Partial<ProbeTarget>, by: Pinger = pinger): Promise<ShownSample> =>
  shownSample(probePing(targetOf(parts), { guard, pinger: by }, never))

/** A machine that lets nobody ping must say so; every other one must reach itself. */
function assertUp(sample: ShownSample, way: string, ip: string): void {
  if (way === 'none') {
    assert.match(
      sample.outcome === 'inconclusive' ? sample.reason : sample.outcome,
      /^Ping is not available on this system/,
    )
    return
  }
  assert.partialDeepStrictEqual(sample, { outcome: 'success', ip })
  assert.ok(sample.outcome === 'success' && Number.isInteger(sample.responseMs) && (sample.responseMs ?? -1) >= 0)
}

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))

test(`this machine answers its own ping (IPv4 here: ${method.ipv4})`, async (t) => {
  t.diagnostic(method.sentence)
  assertUp(await probe({ host: '127.0.0.1' }), method.ipv4, '127.0.0.1')
})

test(`over IPv6 as well (here: ${hasIpv6 ? method.ipv6 : 'no loopback address'})`, async () => {
  const sample = await probe({ host: '[::1]' })
  if (hasIpv6) assertUp(sample, method.ipv6, '::1')
  else assert.equal(sample.outcome, 'inconclusive')
})

for (const way of pingMethods) {
  using alone = createPinger({ methods: [way] })
  const { ipv4 } = alone.methods()
  test(`the ${way} way works alone, or says that it is closed (here: ${ipv4 === way ? 'open' : 'closed'})`, async () => {
    using only = createPinger({ methods: [way] })
    const { ipv4, sentence } = only.methods()
    assert.match(sentence, ipv4 === 'none' ? /Ping is not available/ : /ICMP socket|^ping command /)
    const samples = await Promise.all(Array.from({ length: 5 }, () => probe({ host: '127.0.0.1' }, only)))
    for (const sample of samples) assertUp(sample, ipv4, '127.0.0.1')
  })
}

test('two pingers do not receive each other’s replies', async () => {
  using other = createPinger()
  const both = [pinger, other, pinger, other].map((by) => probe({ host: '127.0.0.1' }, by))
  for (const sample of await Promise.all(both)) assertUp(sample, method.ipv4, '127.0.0.1')
})

test('hundreds of pings at once are all answered', async () => {
  const count = method.ipv4 === 'command' ? 20 : 300
  const samples = await Promise.all(Array.from({ length: count }, () => probe({ host: '127.0.0.1' })))
  for (const sample of samples) assertUp(sample, method.ipv4, '127.0.0.1')
})

test('a name is resolved, and the guard checks each address', async () => {
  await using dns = await startDns((name, type) =>
    name !== 'db.test' ? NXDOMAIN : type === 'A' ? { records: ['127.0.0.1'] } : {},
  )
  const resolver = dnsResolver(dns.resolver)
  const look = (host: string, policy: 'allow' | 'deny') =>
    shownSample(probePing(targetOf({ host }), { guard: createGuard({ policy, resolver }), pinger }, never))
  assertUp(await look('db.test', 'allow'), method.ipv4, '127.0.0.1')
  const unknown = { outcome: 'failure', code: 'DNS', kind: 'connection', error: 'Could not resolve nil.test' }
  assert.partialDeepStrictEqual(await look('nil.test', 'allow'), unknown)
  const error = 'db.test resolves to a private address, which this installation does not allow'
  assert.partialDeepStrictEqual(await look('db.test', 'deny'), { outcome: 'failure', code: 'CONNECT', error })
})

test('without any ping method the check is inconclusive', async () => {
  using none = createPinger({ methods: ['command'], findCommand: () => null })
  assert.partialDeepStrictEqual(none.methods(), { ipv4: 'none', ipv6: 'none' })
  const reason = none.methods().sentence
  assert.match(
    reason,
    /^Ping is not available on this system \(there is no ping command\); let group \d+ ping with "sysctl /,
  )
  assert.deepEqual(await probe({ host: '127.0.0.1' }, none), { outcome: 'inconclusive', reason })
})

test('an open socket does not keep the process alive and prints no warning', async () => {
  const file = join(import.meta.dirname, '../../../../src/monitoring/monitor-types/ping/pinger.ts')
  const script = `import { createPinger } from ${JSON.stringify(file)}
    const pinger = createPinger()
    process.stdout.write(pinger.methods().ipv4)
    pinger.ping('127.0.0.1').settled.then(() => {})`
  const options = { timeout: 20_000 }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], options)
  assert.deepEqual({ stdout, stderr }, { stdout: method.ipv4, stderr: '' })
})

test('an address family of the monitor is the only one that is pinged', async () => {
  const none = await probe({ host: '127.0.0.1', request: { addressFamily: 'IPV6' } })
  assert.partialDeepStrictEqual(none, { outcome: 'failure', error: '127.0.0.1 has no IPv6 address' })
  assertUp(await probe({ host: 'localhost', request: { addressFamily: 'IPV4' } }), method.ipv4, '127.0.0.1')
})
