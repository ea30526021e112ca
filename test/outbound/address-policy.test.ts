import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isPublicAddress, parseAddressPolicy, permits } from '../../src/outbound/address-policy.ts'

const NOT_PUBLIC = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  'link-local': ['169.254.0.1', '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  'carrier-grade NAT': ['100.64.0.1', '100.100.100.200', '100.127.255.255'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'broadcast and reserved': ['255.255.255.255', '240.0.0.1', '192.0.0.192', '192.88.99.1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'unique local': ['fc00::1', 'fd00:ec2::254', 'fdff::1'],
  'site-local': ['fec0::1'],
  'IPv4 inside IPv6': ['::ffff:8.8.8.8', '::ffff:7f00:1', '::8.8.8.8', '::7f00:1', '::ffff:0:808:808'],
  NAT64: ['64:ff9b::8.8.8.8', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1'],
  '6to4 and Teredo': ['2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'ORCHID and discard-only': ['2001:10::1', '2001:20::1', '100::1'],
  'outside 2000::/3': ['4000::1', '8000::1', '5f00::1', 'e000::1'],
  'cloud host agents': ['168.63.129.16', '3ffe::1'],
  'no plain literal': ['', 'localhost', '0x7f.1', '2130706433', '127.1', '0177.0.0.1', '8.8.8.8:80', '[2606:4700::1]'],
}

for (const [kind, addresses] of Object.entries(NOT_PUBLIC)) {
  test(`not public: ${kind}`, () => {
    for (const address of addresses) assert.equal(isPublicAddress(address), false, address)
  })
}

test('global unicast addresses are public', () => {
  const addresses = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '192.0.1.1', '198.20.0.1', '223.255.255.255']
  for (const address of [...addresses, '2606:4700:4700::1111', '2a00:1450:4001:829::200e', '2620:fe::fe']) {
    assert.equal(isPublicAddress(address), true, address)
  }
})

test('no IPv6 address outside 2000::/3 is public', () => {
  const group = fc.integer({ min: 0, max: 0xffff })
  const outside = fc.tuple(
    group.filter((first) => first >> 13 !== 1),
    ...Array.from({ length: 7 }, () => group),
  )
  const written = outside.map((groups) => groups.map((each) => each.toString(16)).join(':'))
  fc.assert(fc.property(written, (address) => isPublicAddress(address) === false))
})

test('a policy is allow, deny, or a list of networks and addresses', () => {
  assert.equal(parseAddressPolicy(' allow '), 'allow')
  assert.equal(parseAddressPolicy('deny'), 'deny')
  const policy = parseAddressPolicy('10.0.0.0/8, 192.168.1.7,fd00::/8')
  const allowed = ['10.255.0.1', '192.168.1.7', 'fd12::1', '11.0.0.1', '2606:4700::1']
  const denied = ['192.168.1.8', 'fe80::1', '127.0.0.1', '::ffff:10.0.0.1', 'name']
  for (const address of allowed) assert.equal(permits(policy, address), true, address)
  for (const address of denied) assert.equal(permits(policy, address), false, address)
})

test('deny permits public addresses only, allow permits all', () => {
  assert.equal(permits('deny', '10.0.0.1'), false)
  assert.equal(permits('deny', '8.8.8.8'), true)
  assert.equal(permits('allow', '127.0.0.1'), true)
})

test('an invalid policy is refused with a message that quotes the invalid part', () => {
  const bad = ['', 'no', 'Allow', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', '10/8', '0x0a.0.0.0/8']
  for (const text of [...bad, 'fd00::/129', 'fe80::%eth0/10', '10.0.0.0/8,', '10.0.0.0/8,deny', 'localhost']) {
    const last = text.split(',').at(-1) ?? ''
    assert.throws(
      () => parseAddressPolicy(text),
      { message: new RegExp(`such as 10\\.0\\.0\\.0/8, not "${RegExp.escape(last)}"$`) },
      text,
    )
  }
})
