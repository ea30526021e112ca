import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDate } from '../../../../src/monitoring/monitor-types/domain/parse-date.ts'

const iso = (text: string) => {
  const at = parseDate(text)
  return at === null ? null : new Date(at).toISOString().replace('.000Z', 'Z')
}

const DAY = '2027-01-05T00:00:00Z'

test('dates are parsed in the formats of registries', () => {
  const READ: readonly (readonly [string, string])[] = [
    ['2027-01-05T23:59:58Z', '2027-01-05T23:59:58Z'],
    ['2027-01-05T23:59:58.123Z', '2027-01-05T23:59:58Z'],
    ['2027-01-05T23:59:58+02:00', '2027-01-05T21:59:58Z'],
    ['2027-01-05 16:03:20+10', '2027-01-05T06:03:20Z'],
    ['2027-01-05 04:18:25-0530', '2027-01-05T09:48:25Z'],
    ['2027-01-05 00:00:00 (UTC+8)', '2027-01-04T16:00:00Z'],
    ['2027-01-05 10:45:05 UTC', '2027-01-05T10:45:05Z'],
    ['2027-01-05 10:00:00 CLST', '2027-01-05T10:00:00Z'],
    ['2027-01-05 00:00:00.0 ET', DAY],
    ['2027-01-05', DAY],
    ['2027-01-05.', DAY],
    ['2027/1/5', DAY],
    ['2027.01.05 13:00:00', '2027-01-05T13:00:00Z'],
    ['2027. 01. 05.', DAY],
    ['2027/03/31)', '2027-03-31T00:00:00Z'],
    ['20270105', DAY],
    ['20270105 #1234', DAY],
    ['20270105235958', '2027-01-05T23:59:58Z'],
    ['05-Jan-2027', DAY],
    ['05-JAN-2027 22:07:21', '2027-01-05T22:07:21Z'],
    ['05-jan-2027 05:00:00 UTC', '2027-01-05T05:00:00Z'],
    ['5 Jan 2027 14:22:48', '2027-01-05T14:22:48Z'],
    ['Tuesday 5th January 2027', DAY],
    ['05-Jan-27', DAY],
    ['2027-Jan-05.', DAY],
    ['January  5 2027', DAY],
    ['January 5 2027.', DAY],
    ['Tue, Jan 05, 2027', DAY],
    ['Jan  5 2027 12:00AM', DAY],
    ['Jan  5 2027 01:30PM', '2027-01-05T13:30:00Z'],
    ['Tue Jan 05 23:59:59 GMT 2027', '2027-01-05T23:59:59Z'],
    ['TUE JAN 05 09:09:52 2027', '2027-01-05T09:09:52Z'],
    ['05.01.2027 12:00:00', '2027-01-05T12:00:00Z'],
    ['5.1.2027', DAY],
    ['05/01/2027 23:59:59', '2027-01-05T23:59:59Z'],
    ['05-01-2027', DAY],
    ['01/26/2027', '2027-01-26T00:00:00Z'],
    ['   2027-01-05', DAY],
  ]
  for (const [text, expected] of READ) assert.equal(iso(text), expected, text)
})

test('invalid dates are refused', () => {
  const NOT: readonly string[] = [
    ...[
      '',
      'N/A',
      'never',
      '2027',
      '2027-02-30',
      '31-Feb-2027',
      '2027-13-01',
      '32/01/2027',
      '13/13/2027',
      '0000-00-00',
    ],
    ...[
      '1969-12-31',
      '9999-12-31',
      '123456789',
      '2027010',
      'Foo 5 2027',
      '5 Foo 2027',
      '2027-01-05 25:00:00',
      '1.2.3.4',
    ],
  ]
  for (const text of NOT) assert.equal(parseDate(text), null, text)
})

const day = fc.date({ min: new Date('1990-01-01'), max: new Date('2199-12-31'), noInvalidDate: true }).map((date) => {
  const seconds = Math.floor(+date / 1000) * 1000
  return new Date(seconds)
})
const pad = (value: number) => String(value).padStart(2, '0')
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const LONG = 'January February March April May June July August September October November December'.split(' ')

test('every date survives formatting and parsing in each format', () => {
  fc.assert(
    fc.property(day, (at) => {
      const [y, m, d] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
      const time = at.toISOString().slice(11, 19)
      const exact = [
        at.toISOString(),
        `${y}/${m + 1}/${d} ${time}`,
        `${y}.${pad(m + 1)}.${pad(d)} ${time}`,
        `${y}${pad(m + 1)}${pad(d)}${time.replaceAll(':', '')}`,
        `${pad(d)}-${MONTHS[m]?.toUpperCase()}-${y} ${time} UTC`,
        `${d} ${LONG[m]} ${y} ${time}`,
        `${y}-${MONTHS[m]}-${d} ${time}`,
        `${LONG[m]} ${d}, ${y} ${time}`,
        at.toUTCString(),
        at.toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/, '$1 $3 $2 $5 GMT $4'),
        `${pad(d)}.${pad(m + 1)}.${y} ${time}`,
      ]
      for (const text of exact) assert.equal(parseDate(text), +at, text)
      const midnight = Date.UTC(y, m, d)
      for (const text of exact.map((each) => each.replace(/[T ]?\d\d:.*/, ''))) {
        if (/\d{4}$/.test(text) && !/\d{14}$/.test(text)) assert.equal(parseDate(text), midnight, text)
      }
    }),
  )
})

test('a zone offset shifts the time', () => {
  fc.assert(
    fc.property(day, fc.integer({ min: -12 * 60, max: 14 * 60 }), (at, minutes) => {
      const sign = minutes < 0 ? '-' : '+'
      const offset = `${sign}${pad(Math.floor(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`
      assert.equal(parseDate(at.toISOString().replace('.000Z', offset)), +at - minutes * 60_000)
    }),
  )
})

test('any text gives a plausible date or null', () => {
  const piece = fc.constantFrom(
    ' ',
    '-',
    '/',
    '.',
    ':',
    'T',
    'Z',
    '+',
    'Jan',
    'Tue',
    'GMT',
    'pm',
    '2027',
    '12',
    '31',
    '0',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary-ascii' }),
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (any) => {
      const at = parseDate(any)
      assert.ok(at === null || (at > Date.UTC(1984, 0) && at < Date.UTC(2202, 0)), `${any}: ${at}`)
    }),
    { numRuns: 500 },
  )
})
