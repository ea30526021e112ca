import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseHostAndPort } from '../../../../src/lib/host.ts'
import { missingValues, normalise } from '../../../../src/monitoring/monitor-types/dns/records.ts'

test('MX records are expected with their priority or by their host alone', () => {
  const records = normalise('MX', ['10 mail.test', '20 backup.test'])
  for (const expected of ['mail.test', 'Mail.Test.', '10 mail.test', ' 10   mail.test. ', '20 backup.test,mail.test']) {
    assert.deepEqual(missingValues('MX', expected, records), [], expected)
  }
  for (const expected of ['30 mail.test', '10 backup.test', 'ail.test', '10']) {
    assert.deepEqual(missingValues('MX', expected, records), [expected])
  }
})

test('TXT records may have commas inside, and be expected in quotes', () => {
  const records = normalise('TXT', ['v=DMARC1; rua=mailto:a@x.test,mailto:b@x.test', 'plain', 'a,b', 'b'])
  const whole = 'v=DMARC1; rua=mailto:a@x.test,mailto:b@x.test'
  for (const expected of [
    whole,
    `plain\n${whole}`,
    `"${whole}"`,
    '"v=DMARC1; rua=" "mailto:a@x.test,mailto:b@x.test"',
  ]) {
    assert.deepEqual(missingValues('TXT', expected, records), [], expected)
  }
  assert.deepEqual(missingValues('TXT', 'plain,b', records), [])
  assert.deepEqual(missingValues('TXT', 'plain,c', records), ['c'])
})

test('an IPv6 address may be expected in any spelling', () => {
  assert.deepEqual(missingValues('AAAA', '2001:DB8:0:0:0:0:0:1', normalise('AAAA', ['2001:db8::1'])), [])
  assert.deepEqual(missingValues('AAAA', '2001:db8::2', normalise('AAAA', ['2001:db8::1'])), ['2001:db8::2'])
})

const label = fc.stringMatching(/^[a-zA-Z0-9-]{1,10}$/)
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'))
const address = fc.ipV4()

test('a set has one form, whatever its order, case, duplicates and trailing dots', () => {
  fc.assert(
    fc.property(fc.array(name, { minLength: 1 }), fc.infiniteStream(fc.nat(2)), (names, choices) => {
      const disguised = [...names, ...names].reverse().map((each) => {
        const choice = choices.next().value
        return choice === 0 ? `${each}.` : choice === 1 ? each.toUpperCase() : each
      })
      assert.deepEqual(normalise('NS', disguised), normalise('NS', names))
    }),
  )
})

test('exactly the values that are not among the records are missing', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(address),
      fc.uniqueArray(address),
      fc.constantFrom(',', '\n', ' ,\n '),
      (has, also, by) => {
        const expected = [...has, ...also].join(by)
        const missing = also.filter((each) => !has.includes(each))
        assert.deepEqual(missingValues('A', expected, normalise('A', has)), missing)
      },
    ),
  )
})

test('a host is parsed from URLs, bare names and host:port, in the form for lookups', () => {
  const cases: [string, string, number?][] = [
    ['example.com', 'example.com'],
    ['EXAMPLE.com.', 'example.com'],
    ['https://example.com/path', 'example.com'],
    ['https://user:word@example.com:8443/?a', 'example.com', 8443],
    ['ldap://Example.com:389', 'example.com', 389],
    ['example.com:80', 'example.com', 80],
    ['[2001:db8::1]:853', '2001:db8::1', 853],
    ['https://[::1]', '::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['_dmarc.example.com', '_dmarc.example.com'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['https://MÜNCHEN.de', 'xn--mnchen-3ya.de'],
    ['4.3.2.1.in-addr.arpa', '4.3.2.1.in-addr.arpa'],
  ]
  for (const [value, host, port] of cases) {
    const hasPort = port !== undefined
    assert.deepEqual(parseHostAndPort(value), { host, port, hasPort }, value)
  }
  assert.deepEqual(parseHostAndPort('https://example.com:443/'), {
    host: 'example.com',
    port: undefined,
    hasPort: true,
  })
  for (const value of [
    '',
    '.',
    'https://',
    'two words',
    'tab\tbed',
    'a:b',
    'host:99999',
    '?',
    '/path',
    'file:///a',
    '\\\\a',
  ]) {
    assert.equal(parseHostAndPort(value), undefined, value)
  }
})

test('any text is parsed without an error, and never to an invalid host', () => {
  const pieces = ['https://', 'a://', '//', '.', '..', ':', ':1', '[', ']', '[::1]', '%', '%41', '@', '#', '?', '\\']
  const letters = [
    'a',
    'EXAMPLE',
    'xn--',
    'ü',
    '\uff11',
    '\u3002',
    '\ud800',
    '\u0000',
    ' ',
    '0x7f',
    '1',
    '😀',
    '\u00ad',
  ]
  const piece = fc.oneof(fc.constantFrom(...pieces, ...letters), fc.string())
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (parts) => {
      const found = parseHostAndPort(parts.join(''))
      if (found !== undefined) assert.match(found.host, /^[^A-Z\s/@[\]\u0080-\uffff]*[^A-Z\s/@[\].\u0080-\uffff]$/)
    }),
    { numRuns: 2000 },
  )
})
