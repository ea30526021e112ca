import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subnetOf } from '../../src/outbound/subnet.ts'

test('the network of an address has 24 bits of IPv4, and the given number of IPv6', () => {
  assert.equal(subnetOf('192.0.2.77', 48), '192.0.2.0/24')
  assert.equal(subnetOf('::ffff:192.0.2.77', 64), '192.0.2.0/24')
  assert.equal(subnetOf('2001:db8:7:8::1', 48), '2001:db8:7::/48')
  assert.equal(subnetOf('2001:db8:7:8::1', 64), '2001:db8:7:8::/64')
  assert.equal(subnetOf('fe80::1%eth0', 64), 'fe80::/64')
})
