import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maskUrl, maskValue, shortenUrl, unmaskUrl, userInfoOf } from '../../src/lib/mask.ts'

const urls: readonly [plain: string, masked: string][] = [
  ['https://user:secret@shop.example/a', 'https://***@shop.example/a'],
  ['https://:secret@shop.example/', 'https://***@shop.example/'],
  ['https://token@shop.example/', 'https://***@shop.example/'],
  ['https://token:@shop.example/', 'https://***@shop.example/'],
  ['https://alice@corp.example:secret@shop.example/', 'https://***@shop.example/'],
  ['https://user:se@cr:et@shop.example/', 'https://***@shop.example/'],
  ['https://user:se%40cr%2Fet@shop.example/', 'https://***@shop.example/'],
  ['HTTPS://user:secret@shop.example', 'HTTPS://***@shop.example'],
  ['http:user:secret@shop.example/', 'http:***@shop.example/'],
  ['http:/user:secret@shop.example/', 'http:/***@shop.example/'],
  ['http:\\\\user:secret@shop.example\\a@b', 'http:\\\\***@shop.example\\a@b'],
  ['http:////user:secret@shop.example/', 'http:////***@shop.example/'],
  [' \u0001http://user:secret@shop.example/', ' \u0001http://***@shop.example/'],
  ['ht\ttp:\n//user:sec\tret@shop.example/', 'http://***@shop.example/'],
  ['wss://user:secret@shop.example/', 'wss://***@shop.example/'],
  ['postgres://user:secret@db.example:5432/x?y#z', 'postgres://***@db.example:5432/x?y#z'],
  ['postgres://user:se\\cr@et@db.example/x', 'postgres://***@db.example/x'],
  // Without a scheme, as DNS, SSL and DOMAIN monitors accepted them.
  ['user:secret@shop.example', '***@shop.example'],
  ['token@shop.example:443', '***@shop.example:443'],
  ['//user:secret@shop.example', '//***@shop.example'],
  // Not URLs.
  ['https://user:secret@not a host', 'https://***@not a host'],
  ['postgres://user:se/cr?e#t@db.example/x', 'postgres://***@db.example/x'],
  ['postgres://user:secret@one.example,two.example/x', 'postgres://***@one.example,two.example/x'],
]

const withoutUserInfo = [
  'https://shop.example:8443/a@b',
  'https://shop.example/?mail=a:b@c',
  'https://shop.example\\a@b',
  'https://shop.example#a@b',
  'https://@shop.example/',
  'shop.example',
  'shop.example:443/a@b',
  '[::1]:443',
  '',
]

test('all user information of an address is masked', () => {
  for (const [plain, masked] of urls) assert.equal(maskUrl(plain), masked, plain)
  for (const url of withoutUserInfo) assert.equal(maskUrl(url), url)
})

/** Every part that URLs consist of, or that confuses parsers of URLs. */
const part = fc.oneof(
  { weight: 3, arbitrary: fc.constant('secret') },
  { weight: 3, arbitrary: fc.constantFrom('@', ':', '/', '\\', '?', '#') },
  fc.constantFrom(
    '\t',
    '\n',
    '\r',
    ' ',
    '%40',
    '%2F',
    '%',
    '[::1]',
    '127.1',
    '8080',
    '..',
    'é',
    '＠',
    '／',
    '\u0000',
    '|',
  ),
  fc.constantFrom('shop.example', 'http:', 'https://', 'postgres://', '&', '=', '***'),
)
const scheme = fc.constantFrom(
  'http://',
  'https://',
  'HTTP:',
  'http:/',
  'http:\\\\',
  'ht\ttp://',
  ' https://',
  'wss:',
  'ftp://',
  'file://',
  'file:',
  'postgres://',
  'smtp://',
  'x-y+z.1://',
  'data:',
  'mailto:',
  'ssl:/',
  '//',
  '',
)
/** Every secret gets a number. */
const joined = (parts: readonly string[]): string =>
  parts.map((text, i) => (text === 'secret' ? `secret${i}e` : text)).join('')
const end = fc.constantFrom('', '@shop.example', '@[::1]:81/a@b', '@shop.example\\a@b', '@shop.example?a@b')
const address = fc
  .tuple(scheme, fc.array(part, { maxLength: 12 }), end)
  .map(([start, parts, last]) => start + joined(parts) + last)

test('for every URL that URL parses, the masked text has the same host and path and no user information', () => {
  let withSecrets = 0
  const holds = fc.property(address, (text) => {
    const url = URL.parse(text)
    if (url === null || url.host === '') return
    const masked = maskUrl(text)
    const parsed = URL.parse(masked)
    assert.ok(parsed !== null, masked)
    for (const name of ['protocol', 'host', 'pathname', 'search', 'hash'] as const) {
      assert.equal(parsed[name], url[name], `${name} of ${JSON.stringify(masked)}`)
    }
    assert.equal(parsed.password, '')
    if (url.username === '' && url.password === '') return assert.ok(['', '***'].includes(parsed.username))
    assert.equal(parsed.username, '***')
    for (const [found] of `${url.username} ${url.password}`.matchAll(/secret\d+e/g)) {
      withSecrets += 1
      assert.ok(!masked.includes(found), masked)
    }
    assert.equal(maskUrl(masked), masked)
  })
  fc.assert(holds, { numRuns: 20_000 })
  assert.ok(withSecrets > 1_000, `only ${withSecrets} secrets were in user information`)
})

test('for every target that https:// before it makes a URL, the masked text has no user information', () => {
  const holds = fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
    const text = joined(parts).replace(/^[/\\\s\p{Cc}]+/u, '')
    const url = URL.parse(`https://${text}`)
    // With a scheme of its own it is no bare target.
    if (url === null || /^\w+:\/\/|^https?:/i.test(text.replaceAll(/[\t\n\r]/g, ''))) return
    const masked = maskUrl(text)
    assert.equal(URL.parse(`https://${masked}`)?.host, url.host)
    for (const [found] of `${url.username} ${url.password}`.matchAll(/secret\d+e/g)) assert.ok(!masked.includes(found))
  })
  fc.assert(holds, { numRuns: 10_000 })
})

test('the user information of a text is everything before the last @ of its authority', () => {
  assert.equal(userInfoOf('https://alice@corp.example:secret@shop.example/@'), 'alice@corp.example:secret')
  assert.equal(userInfoOf('https://@shop.example/'), '')
  assert.equal(userInfoOf('https://shop.example/@'), undefined)
})

test('masked user information is replaced by the stored one', () => {
  const stored = 'https://user:se@cr:et@shop.example/'
  assert.equal(unmaskUrl('https://***@new.example/x', stored), 'https://user:se@cr:et@new.example/x')
  assert.equal(unmaskUrl('https://user:given@new.example/', stored), 'https://user:given@new.example/')
  assert.equal(unmaskUrl('https://new.example/', stored), 'https://new.example/')
  assert.equal(unmaskUrl('https://***@new.example/', 'https://shop.example/'), undefined)
  assert.equal(unmaskUrl('https://***@new.example/', null), undefined)
})

test('a masked password beside a user name is not taken for a password', () => {
  assert.equal(unmaskUrl('https://user:***@new.example/', 'https://user:secret@shop.example/'), undefined)
})

test('stored user information with replacement patterns is inserted unchanged', () => {
  assert.equal(unmaskUrl('https://***@a.example/', 'https://u:$&$1@b.example/'), 'https://u:$&$1@a.example/')
})

test('of a secret URL the host and the end of a long path are shown', () => {
  assert.equal(shortenUrl('https://hooks.example/services/T0000001'), 'https://hooks.example/…0001')
  assert.equal(shortenUrl('https://hooks.example:8443/a?key=abcdefgh1234'), 'https://hooks.example:8443/…1234')
  assert.equal(shortenUrl('https://hooks.example/short'), 'https://hooks.example/…')
  assert.equal(shortenUrl('https://hooks.example/'), 'https://hooks.example')
})

test('only harmless headers keep their values', () => {
  const headers = { Accept: 'text/html', 'USER-AGENT': 'probe', Cookie: 'id=1', 'X-Anything': '', authorization: 'x' }
  assert.deepEqual(maskValue('headers', headers), {
    Accept: 'text/html',
    'USER-AGENT': 'probe',
    Cookie: '***',
    'X-Anything': '***',
    authorization: '***',
  })
})

test('a secret is masked as a whole, and a missing one stays missing', () => {
  assert.equal(maskValue('secret', 'text'), '***')
  assert.equal(maskValue('secret', ''), '***')
  assert.equal(maskValue('secret', null), null)
  assert.equal(maskValue('headers', null), null)
  assert.equal(maskValue('plain', 'text'), 'text')
})
