import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gatewayIn } from '../../../src/monitoring/probes/ask-network.ts'
import {
  AnsweredTargets,
  addressOf,
  type ConnectionFailure,
  isNetworkProven,
  networkOf,
  proofsFor,
} from '../../../src/monitoring/probes/doubt.ts'
import { words } from '../../support/reasons.ts'

const failure = (parts: Partial<ConnectionFailure> = {}): ConnectionFailure => ({
  outcome: 'failure',
  kind: 'connection',
  code: 'TIMEOUT',
  error: words('No response'),
  ...parts,
})

/** The only public network of these tests. */
const surroundings = { isPublic: (address: string) => /^(10\.9\.|fd09:)/.test(address), own: new Set(['10.9.0.1']) }

test('targets are grouped by the network that this node can lose: local, public, one private network, or names', () => {
  const networks = {
    '127.0.0.1': 'local',
    '::1': 'local',
    '10.9.0.1': 'local',
    '10.9.7.7': 'public',
    'fd09::7': 'public IPv6',
    '10.1.2.3': '10.1.2.0/24',
    'fd00:1:2:3::4': 'fd00:1:2:3::/64',
  }
  for (const [address, network] of Object.entries(networks))
    assert.equal(networkOf(address, surroundings), network, address)
  assert.equal(networkOf(undefined, surroundings), 'names')
})

test('the address of a failed check is the one that was tried, or that its host names', () => {
  assert.equal(addressOf(failure({ triedIp: '10.1.2.3' }), 'db.test'), '10.1.2.3')
  assert.equal(addressOf(failure(), '10.1.2.3'), '10.1.2.3')
  assert.equal(addressOf(failure(), 'localhost'), '127.0.0.1')
  assert.equal(addressOf(failure(), 'db.test'), undefined)
  assert.equal(addressOf(failure(), '2130706433'), undefined)
})

describe('answers of other targets', () => {
  const NOW = 100_000
  const isProven = (at: readonly number[], parts: Partial<ConnectionFailure>, network = 'public'): boolean => {
    const answered = new AnsweredTargets()
    for (const each of at) answered.add(network, '10.9.7.7', () => 80, each)
    return isNetworkProven(answered, 'public', failure(parts), NOW)
  }
  const timeout = { responseMs: 10_000 }

  test('prove that the network worked if they came in both halves of the last try', () => {
    assert.equal(isProven([NOW - 9_000, NOW - 1_000], timeout), true)
    assert.equal(isProven([NOW - 1_500, NOW - 500], { code: 'CONNECT', responseMs: 1 }), true)
  })

  test('do not prove it at the end alone, after a repair, or at the beginning alone, before the fault', () => {
    assert.equal(isProven([NOW - 20_000, NOW - 100], timeout), false)
    assert.equal(isProven([NOW - 9_000, NOW - 8_000], timeout), false)
  })

  test('do not prove it for another network', () => {
    assert.equal(isProven([NOW - 9_000, NOW - 1_000], timeout, '10.1.2.0/24'), false)
    assert.equal(isProven([NOW - 9_000, NOW - 1_000], timeout, 'public IPv6'), false)
  })

  test('take bounded memory', () => {
    const answered = new AnsweredTargets()
    for (let i = 0; i < 10_000; i += 1) answered.add('public', `10.9.${i >> 8}.${i & 255}`, () => 80, i * 300)
    assert.equal(answered.hosts('public').length, 4)
    assert.equal(answered.isWithin('public', 9_999 * 300, 9_999 * 300), true)
  })
})

test('what is asked depends on the network; a private target without others is judged by gateway and resolver', () => {
  const nobody = { sentinels: false, otherHosts: false }
  assert.deepEqual(proofsFor('local', nobody), [])
  assert.deepEqual(proofsFor('local', { ...nobody, sentinels: true }), ['sentinels'])
  assert.deepEqual(proofsFor('names', nobody), ['resolver'])
  assert.deepEqual(proofsFor('public', nobody), ['resolver', 'hosts'])
  assert.deepEqual(
    proofsFor('public IPv6', nobody),
    ['resolver', 'hosts'],
    'a DNS server decides about the only target',
  )
  assert.deepEqual(proofsFor('public IPv6', { ...nobody, otherHosts: true }), ['public IPv6 resolver', 'hosts'])
  assert.deepEqual(proofsFor('10.1.2.0/24', nobody), ['gateway', 'resolver'])
  assert.deepEqual(proofsFor('10.1.2.0/24', { ...nobody, otherHosts: true }), ['gateway', 'hosts'])
})

test('the gateway is the router on the way, or the one on the own network', () => {
  const routes = [
    'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
    'eth0\t00000000\t0101000A\t0003\t0\t0\t0\t00000000\t0\t0\t0',
    'eth0\t0001000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
    'eth0\t0005000A\t0201000A\t0003\t0\t0\t0\t00FFFFFF\t0\t0\t0',
    'eth1\t0007000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
  ].join('\n')
  assert.equal(gatewayIn(routes, '192.0.2.1'), '10.0.1.1')
  assert.equal(gatewayIn(routes, '10.0.1.77'), '10.0.1.1')
  assert.equal(gatewayIn(routes, '10.0.5.77'), '10.0.1.2')
  assert.equal(gatewayIn(routes, '10.0.7.77'), undefined)
  assert.equal(gatewayIn(routes, 'fd00::1'), undefined)
  assert.equal(gatewayIn('', '10.0.7.77'), undefined)
})
