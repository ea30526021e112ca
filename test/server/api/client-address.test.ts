import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAddress } from '../../../src/server/api/client-address.ts'

test('an IPv4 address is used unchanged', () => {
  assert.equal(clientAddress({ ip: '192.0.2.7' }), '192.0.2.7')
  assert.equal(clientAddress({ ip: '::ffff:192.0.2.7' }), '::ffff:192.0.2.7')
})

test('an IPv6 address is reduced to its /64 network', () => {
  const neighbours = ['2001:db8::1', '2001:db8::2:3', '2001:0db8:0:0:1:2:3:4', '2001:DB8::ffff:ffff:ffff:ffff']
  assert.deepEqual(new Set(neighbours.map((ip) => clientAddress({ ip }))), new Set(['2001:db8:0:0::/64']))
  assert.equal(clientAddress({ ip: '2001:db8:0:1::1' }), '2001:db8:0:1::/64')
  assert.equal(clientAddress({ ip: '::1' }), '0:0:0:0::/64')
  assert.equal(clientAddress({ ip: 'fe80::1%eth0' }), 'fe80:0:0:0::/64')
})

test('a forwarded value that is no address is used unchanged', () => {
  for (const ip of ['unknown', 'a:b', '_hidden', '']) assert.equal(clientAddress({ ip }), ip)
})
