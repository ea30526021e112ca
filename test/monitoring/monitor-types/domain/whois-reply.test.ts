import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseWhoisReply, referralIn } from '../../../../src/monitoring/monitor-types/domain/whois-reply.ts'

const DAY = Date.parse('2027-01-05T00:00:00Z')
const LEGAL = `
% The registry limits how many queries one address may make. Data about a domain
% that is not found, or is not registered, cannot be shown. Excessive use is blocked.
TERMS OF USE: You agree that you will not exceed the limits; access may be denied.
`

/** One a line; | stands for a new line. */
const each = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.replaceAll('|', '\n'))

const DATED = each(`
Registry Expiry Date: 2027-01-05T00:00:00Z
Registrar Registration Expiration Date: 2027-01-05T00:00:00Z
Expiration Date: 05-Jan-2027 00:00:00
Expiration Date:05-Jan-2027 00:00:00 UTC
Expiry date:  05-Jan-2027
paid-till:     2027-01-05T00:00:00Z
paid-till:  2027.01.05
expires:       2027-01-05
expires:      20270105
expire: 05.01.2027
expires............: 5.1.2027
Expires on..............: 2027-Jan-05.
Expires on .............TUE JAN 05 00:00:00 2027
expire-date:   2027-01-05
Renewal date:   2027/01/05
renewal date:           2027.01.05 00:00:00
Renewal date:|    Tuesday 5th January 2027
Valid Until:                  2027-01-05
validity:     05-01-2027
Valid Date     2027-01-05 00:00:00 EST
Record expires on 2027-01-05 00:00:00
Record will be expiring on date: 2027-01-05
Record expiring on -  2027-01-05
Expiration Date             : 2027. 01. 05.
[Expires on]                    2027/01/05
[State]                         Connected (2027/01/05)
Expires On: 2027-01-05
Expires    on: 2027-01-05
expires at: 05/01/2027 00:00:00 EET
Domain expires:          05-Jan-2027
Domain Expiration Date: Tue Jan 05 00:00:00 GMT 2027
Expiry : 2027-01-05
   Expiry Date.......... 2027-01-05
Expiration Date (dd/mm/yyyy): 05/01/2027
domain_datebilleduntil: 2027-01-05T00:00:00Z
Expiration Time: 2027-01-05 00:00:00
Exp date: 05 Jan 2027
Date of expiration  : 2027-01-05 00:00:00
status:     OK-UNTIL 20270105000000
Fecha de Vencimiento: 2027-01-05 00:00:00`)

const ABSENT = each(`
No match for "EXAMPLE.TEST".
No match!!
% No match
NOT FOUND
Not found: example.test
Domain not found.
% No entries found.
%ERROR:101: no entries found
No Data Found
No data was found to match the request criteria.
No Objects Found
no matching record
Domain example.test not found
domain "example.test" not found.
nothing found
The domain example.test was not found!
The domain has not been registered.
% Object example.test NOT FOUND
example.test is not registered
Domain name example.test does not exist
No such domain
No information available about domain name example.test
Domain: example.test|Status: free
Domain:	example.test|Status:	AVAILABLE
Domain Status: No Object Found
Status: Not Registered
example.test is free
Domain example.test - Available
We do not have an entry in our database matching your query.
query_status: 220 Available
Object_Not_Found
example.test: no existe
This domain name may be available for registration
Above domain name is not registered to KRNIC.
Nothing found for this query.
% This query returned 0 objects.`)

describe('an entry', () => {
  for (const line of DATED) {
    test(`gives its date: ${line}`, () => {
      for (const eol of ['\n', '\r\n']) {
        const text = ['Domain Name: EXAMPLE.TEST', 'Creation Date: 2001-02-03', line, LEGAL]
          .join('\n')
          .replaceAll('\n', eol)
        const reply = parseWhoisReply(text, 'example.test')
        assert.partialDeepStrictEqual(reply, { kind: 'registered', expiresAt: DAY, lapsed: null })
      }
    })
  }

  test("gives the registry's date before the registrar's, wherever they stand", () => {
    const registrar = 'Registrar Registration Expiration Date: 2028-01-05T00:00:00Z'
    const registry = 'Registry Expiry Date: 2027-01-05T00:00:00Z'
    for (const lines of [
      [registrar, registry],
      [registry, registrar],
    ]) {
      const reply = parseWhoisReply(['Domain Name: example.test', ...lines].join('\n'), 'example.test')
      assert.partialDeepStrictEqual(reply, { expiresAt: DAY })
    }
  })

  test('may lack a date', () => {
    const HEADS = [
      'Domain: example.test',
      'domain:         example.test',
      'Domain name:\n     example.test',
      '[Domain Name] EXAMPLE.TEST',
    ]
    for (const head of HEADS) {
      const reply = parseWhoisReply(`${head}\nStatus: connect\nNserver: ns1.example.test\n${LEGAL}`, 'example.test')
      assert.partialDeepStrictEqual(reply, { kind: 'registered', expiresAt: null, lapsed: null, referral: null }, head)
    }
  })

  test('may be in deletion, whatever its date', () => {
    for (const status of [
      'redemptionPeriod https://icann.org/epp#redemptionPeriod',
      'pendingDelete',
      'in quarantine',
    ]) {
      const reply = parseWhoisReply(
        `Domain Name: example.test\nDomain Status: ${status}\nexpires: 2027-01-05`,
        'example.test',
      )
      assert.partialDeepStrictEqual(reply, {
        kind: 'registered',
        expiresAt: DAY,
        lapsed: status.replace(/ http.*/, ''),
      })
    }
  })

  test('of another name does not count', () => {
    const text = 'Domain Name: EXAMPLE.TEST.EVIL.TEST\nexpires: 2027-01-05\nDomain Name: NOT-EXAMPLE.TEST\n'
    assert.deepEqual(parseWhoisReply(text, 'example.test'), { kind: 'unclear' })
  })

  test('of an international name may be written in Unicode', () => {
    const reply = parseWhoisReply('domain: bücher.test\nexpires: 2027-01-05', 'xn--bcher-kva.test')
    assert.partialDeepStrictEqual(reply, { kind: 'registered', expiresAt: DAY })
  })
})

describe('no entry', () => {
  for (const words of ABSENT) {
    test(`is understood: ${words}`, () => {
      assert.deepEqual(
        parseWhoisReply(`% Registry of .test\r\n\r\n${words}\r\n>>> Last update: 2026-01-01\r\n`, 'example.test'),
        {
          kind: 'absent',
        },
      )
    })
  }

  test('is not a refusal', () => {
    const REFUSALS = [
      ...['WHOIS LIMIT EXCEEDED - SEE WWW.PIR.ORG/WHOIS FOR DETAILS', 'Query rate limit exceeded. Try again later.'],
      ...[
        'You have exceeded your query quota',
        'Too many requests',
        'Your IP has been blocked',
        'Access denied',
        '%% Please try again in 4 seconds',
      ],
    ]
    for (const words of REFUSALS) assert.deepEqual(parseWhoisReply(words, 'example.test'), { kind: 'refused' }, words)
    assert.deepEqual(parseWhoisReply('No match for example.test\nquota exceeded', 'example.test'), { kind: 'refused' })
  })

  test('is not the reply to an invalid query', () => {
    for (const words of [
      'Invalid domain name',
      'Malformed request.',
      'The queried name is not a valid domain name',
      'Domain: a.b.test\nStatus: invalid',
    ]) {
      assert.notEqual(parseWhoisReply(words, 'www.example.test').kind, 'absent', words)
    }
    assert.deepEqual(parseWhoisReply('Domain: a.example.test\nStatus: invalid', 'a.example.test'), { kind: 'invalid' })
    assert.deepEqual(parseWhoisReply('Invalid query or domain name', 'www.example.test'), { kind: 'invalid' })
    assert.deepEqual(parseWhoisReply('Welcome to the server of the registry', 'example.test'), { kind: 'unclear' })
  })
})

test('a referral must be a host name', () => {
  assert.equal(referralIn('domain: TEST\n\nwhois:        whois.nic.test\n'), 'whois.nic.test')
  assert.equal(referralIn('refer:        WHOIS.nic.test\nwhois: other.test'), 'whois.nic.test')
  assert.equal(referralIn('   Registrar WHOIS Server: whois://whois.registrar.test:9999/x'), 'whois.registrar.test')
  for (const bad of [
    'whois:',
    'whois: localhost',
    'refer: -x.test',
    'refer: a_b.test',
    'whois: [::1]',
    'remarks: whois: a.test',
  ]) {
    assert.equal(referralIn(bad), null, bad)
  }
})

test('hostile replies are parsed quickly', () => {
  const HOSTILE = [
    ' '.repeat(65_536),
    'a'.repeat(65_536),
    '\n'.repeat(65_536),
    'expires '.repeat(8192),
    'a\n'.repeat(32_768),
  ]
  // CPU time, which does not depend on what else the machine does.
  const before = process.threadCpuUsage()
  for (const text of [
    ...HOSTILE,
    'domain name: '.repeat(5000),
    `expires${'-'.repeat(60_000)}`,
    'limit '.repeat(10_000),
  ]) {
    assert.equal(parseWhoisReply(text, 'example.test').kind, 'unclear')
  }
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 1_500_000, `${user + system} µs`)
})
