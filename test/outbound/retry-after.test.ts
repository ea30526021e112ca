import assert from 'node:assert/strict'
import test from 'node:test'
import { parseRetryAfter } from '../../src/outbound/retry-after.ts'

const DAY_MS = 86_400_000

test('Retry-After is read as seconds or as an HTTP date, up to the maximum', () => {
  const now = Date.UTC(2026, 0, 1)
  const parse = (header: string | null) => parseRetryAfter(header, now, DAY_MS)
  assert.equal(parse('120'), 120_000)
  assert.equal(parse(' 0 '), 0)
  assert.equal(parse(' 1.5 '), 1_500)
  assert.equal(parse('Thu, 01 Jan 2026 00:01:30 GMT'), 90_000)
  assert.equal(parse('Wed, 31 Dec 2025 00:00:00 GMT'), 0)
  assert.equal(parse('999999999999999999999'), DAY_MS)
  assert.equal(parse('Fri, 01 Jan 2100 00:00:00 GMT'), DAY_MS)
  for (const malformed of [
    null,
    '',
    'soon',
    '-5',
    '1.',
    '2026-01-02',
    'NaN, GMT',
    'Xyz, nonsense GMT',
    '1e3',
    '+5',
    '0x10',
    'Mon, 5 GMT',
    'Foo, 01 Jan 2026 00:01:30 GMT',
    'Thu, 01 Jan 2026 00:01:30 +0200 GMT',
    'Sat, 31 Feb 2026 00:00:00 GMT',
    'Thu, 01 Jan 2026 24:00:00 GMT',
    'Thu, 01 Jan 2026 GMT',
  ]) {
    assert.equal(parse(malformed), null, String(malformed))
  }
})
