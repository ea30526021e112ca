import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  candidatesOf,
  looksLikeSuffix,
  mostLikelyName,
} from '../../../../src/monitoring/monitor-types/domain/candidate-names.ts'

test('candidates are the host and its parents, without the top-level domain', () => {
  assert.deepEqual(candidatesOf('example.com'), ['example.com'])
  assert.deepEqual(candidatesOf('WWW.Example.com.'), ['www.example.com', 'example.com'])
  assert.deepEqual(candidatesOf('a.b.example.co.uk'), ['b.example.co.uk', 'example.co.uk', 'co.uk'])
  assert.deepEqual(candidatesOf('_dmarc.example.com'), ['example.com'])
  assert.deepEqual(candidatesOf('shop.xn--p1ai'), ['shop.xn--p1ai'])
  for (const none of [
    '',
    'com',
    'localhost',
    '127.0.0.1',
    '::1',
    'a_b.com',
    'example.c',
    'example.1',
    '-a.com',
    'a-.com',
    'a..com',
  ]) {
    assert.deepEqual(candidatesOf(none), [], none)
  }
  assert.equal(looksLikeSuffix('co.uk'), true)
  for (const name of ['example.uk', 'co.com', 'x.co.uk', 'co', 'bbc.uk'])
    assert.equal(looksLikeSuffix(name), false, name)
  assert.equal(mostLikelyName(candidatesOf('a.b.example.co.uk')), 'example.co.uk')
  assert.equal(mostLikelyName(candidatesOf('a.b.example.com')), 'example.com')
  assert.equal(mostLikelyName(['co.uk']), 'co.uk')
})

test('candidates consist of plain labels only', () => {
  const piece = fc.constantFrom('a', 'B', '.', '-', '\r\n', ' ', '/', '%', 'é', 'xn--', '_', '\0', 'com')
  const text = fc.oneof(
    fc.domain(),
    fc.string({ unit: 'binary-ascii' }),
    fc.array(piece).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (host) => {
      for (const name of candidatesOf(host)) {
        assert.match(name, /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?){1,3}$/)
        assert.ok(`.${host.toLowerCase().replace(/\.+$/, '')}`.endsWith(`.${name}`))
      }
    }),
    { numRuns: 500 },
  )
})
