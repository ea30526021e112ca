import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeDomain, literalAddresses } from '../../../src/publishing/custom-domains/points-here.ts'

const here = { host: 'pharos.example', addresses: ['192.0.2.1', '2001:db8::1'] }
const judge = (cname: string | null, addresses: readonly string[] | null, at = here) =>
  judgeDomain('status.acme.example', { cname, addresses }, at)

test('a domain points here with a CNAME to our host, or if all its addresses are ours', () => {
  for (const [cname, addresses] of [
    ['pharos.example', ['203.0.113.9']],
    [null, ['192.0.2.1']],
    [null, ['2001:db8::1', '192.0.2.1']],
    ['proxy.example', ['192.0.2.1']],
  ] as const) {
    const { pointsHere, message } = judge(cname, addresses)
    assert.deepEqual([pointsHere, message], [true, 'status.acme.example points to this server.'])
  }
})

test('a domain with one foreign address does not point here, and the address is named', () => {
  const { pointsHere, message } = judge(null, ['192.0.2.1', '203.0.113.9'])
  assert.equal(pointsHere, false)
  assert.match(message, /^status\.acme\.example points to 203\.0\.113\.9, which is not this server\. /)
})

test('a CNAME to our host without addresses does not point here', () => {
  assert.equal(judge('pharos.example', []).pointsHere, false)
})

test('the advice names the record to create, with an alternative to CNAME', () => {
  assert.equal(
    judge(null, []).message,
    'status.acme.example has no DNS record yet. Make this record for status.acme.example: CNAME pharos.example. ' +
      'A domain that cannot have a CNAME record gets A 192.0.2.1, AAAA 2001:db8::1 instead.',
  )
  assert.match(judge(null, [], { ...here, addresses: [] }).message, /: CNAME pharos\.example\.$/)
  const byAddress = judge(null, [], { host: '192.0.2.1', addresses: ['192.0.2.1'] })
  assert.match(byAddress.message, /Make this record for status\.acme\.example: A 192\.0\.2\.1\.$/)
})

test('for an installation on localhost the advice is to set the base URL first', () => {
  const { message } = judge(null, ['203.0.113.9'], { host: 'localhost', addresses: ['127.0.0.1'] })
  assert.match(message, /Pharos runs at localhost, .* Set PHAROS_BASE_URL/)
})

test('without a DNS answer nothing is claimed about the domain', () => {
  const { pointsHere, message } = judge(null, null)
  assert.equal(pointsHere, false)
  assert.match(message, /could not be looked up: no DNS server answered/)
})

test('IP addresses and localhost need no DNS lookup', () => {
  assert.deepEqual(literalAddresses('2001:db8::1'), ['2001:db8::1'])
  assert.deepEqual(literalAddresses('localhost'), ['127.0.0.1', '::1'])
  assert.equal(literalAddresses('pharos.example'), undefined)
})
