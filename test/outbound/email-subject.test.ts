import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanName, requestedSubject, subject, subjectWith } from '../../src/outbound/email-subject.ts'

const cleaned: Readonly<Record<string, string>> = {
  'Acme GmbH & Co. KG': 'Acme GmbH & Co. KG',
  'Checkout (EU)': 'Checkout (EU)',
  'API v1.2, 12:30 backup': 'API v1.2, 12:30 backup',
  '.NET service': '.NET service',
  'Wait... what': 'Wait... what',
  'shop.example.com': 'shop·example·com',
  'https://shop.example.com/cart?a=b': 'shop·example·com/cart?a=b',
  'Win now: HTTPS://EVIL.EXAMPLE/x !': 'Win now: EVIL·EXAMPLE/x !',
  'http://localhost/x': 'localhost/x',
  'ftp:\\\\files': 'files',
  'a http:http:////evil.example': 'a http: evil·example',
  'hthttp://tp://evil.example': 'evil·example',
  'mail me@evil.example': 'mail me@evil·example',
  'mailto:me@evil.example': 'mailto: me@evil·example',
  'tel:+4912345': 'tel: +4912345',
  'javascript:alert(1)': 'javascript: alert(1)',
  'server 192.0.2.7 is on': 'server 192·0·2·7 is on',
  'www.evil.example': 'www·evil·example',
  'bücher.example': 'bücher·example',
  'evil.xn--p1ai': 'evil·xn--p1ai',
  'evil。example': 'evil·example',
  'ｅｖｉｌ．ｅｘａｍｐｌｅ': 'ｅｖｉｌ·ｅｘａｍｐｌｅ',
  'evil\u2024example': 'evil·example',
  'evil.\u200bexample': 'evil·example',
  'evil.\u00adexample': 'evil·\u00adexample',
  'evil.\u200dexample': 'evil·\u200dexample',
  '💩.la': '💩·la',
  'first\r\nBcc: victim@example.com': 'first Bcc: victim@example·com',
  'null\u0000 bell\u0007 tab\t line\u2028end': 'null bell tab line end',
  '\u202egnorw si siht\u202c': 'gnorw si siht',
  '=?utf-8?B?aHR0cHM6Ly9ldmls?=': '= ?utf-8?B?aHR0cHM6Ly9ldmls?=',
  'https://': '(no name)',
  '\u200b \n': '(no name)',
}

test('a name is one short line without anything that a mail client turns into a link', () => {
  for (const [name, expected] of Object.entries(cleaned)) assert.equal(cleanName(name), expected, JSON.stringify(name))
})

test('a name has at most 60 characters, cut between graphemes', () => {
  assert.equal(cleanName('x'.repeat(60)), 'x'.repeat(60))
  assert.equal(cleanName('x'.repeat(61)), `${'x'.repeat(59)}…`)
  const family = '👩‍👩‍👧‍👦'
  assert.equal(cleanName(family.repeat(9)), `${family.repeat(5)}…`)
})

test('cleaning a cleaned name does not change it', () => {
  for (const name of Object.keys(cleaned)) assert.equal(cleanName(cleanName(name)), cleanName(name))
})

test('a subject cleans each of its names and nothing else', () => {
  const name = 'https://evil.example'
  assert.equal(subject`See pharos.example: ${name}, ${'b.example'}`, 'See pharos.example: evil·example, b·example')
  assert.equal(
    subjectWith((clean) => `${clean(name)} ist da`),
    'evil·example ist da',
  )
})

test('a subject that the recipient asked for keeps host names, on one line and without encoded words', () => {
  assert.equal(requestedSubject('api.acme.test:8443 is down'), 'api.acme.test:8443 is down')
  assert.equal(requestedSubject('a\r\nBcc: b@example.com =?utf-8?B?eA?='), 'a Bcc: b@example.com = ?utf-8?B?eA?=')
})
