import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SentSettings } from '../../../../src/monitoring/monitor-types/echoed-secrets/collect.ts'
import { EchoedSecrets } from '../../../../src/monitoring/monitor-types/echoed-secrets/hide.ts'
import { slowness, threadCpuMs } from '../../../support/cpu-time.ts'

const hide = (settings: SentSettings, text: string): string => new EchoedSecrets(settings).hide(text)
const bearer = (token: string): SentSettings => ({ request: { auth: { type: 'BEARER', token } } })
const headers = (requestHeaders: Record<string, string>): SentSettings => ({ requestHeaders })
const hex = (text: string, width: number) =>
  Array.from(text, (character) => character.charCodeAt(0).toString(16).padStart(width, '0'))
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Has what each kind of escape treats specially. */
const SECRET = `p&s "w/\\<ö>+r'd%41`
const inHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const spellings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'with percent escapes': encodeURIComponent,
  'with percent escapes in lower case': (text) =>
    encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  'in a form': (text) => new URLSearchParams({ x: text }).toString().slice(2),
  'with a percent escape for each byte': (text) =>
    Array.from(Buffer.from(text), (byte) => `%${byte.toString(16)}`).join(''),
  'with percent escapes twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in JSON': inJson,
  'in JSON with \\u escapes': (text) =>
    hex(text, 4)
      .map((digits) => `\\u${digits}`)
      .join(''),
  'in HTML': inHtml,
  'in HTML with hexadecimal numbers': (text) =>
    hex(text, 1)
      .map((digits) => `&#x${digits};`)
      .join(''),
  'in HTML with decimal numbers': (text) => Array.from(text, (character) => `&#${character.charCodeAt(0)};`).join(''),
  'in JSON in HTML': (text) => inHtml(inJson(text)),
  'in base64': base64,
  'in base64 without padding': (text) => base64(text).replace(/=+$/, ''),
  'in base64 of URLs': (text) => Buffer.from(text).toString('base64url'),
  'as UTF-8 that was read as Latin-1': (text) => Buffer.from(text).toString('latin1'),
  'as Latin-1 that was read as UTF-8': (text) => Buffer.from(text, 'latin1').toString(),
}

describe('a secret in the text of a target', () => {
  test('is hidden in every spelling, and the text around it stays', () => {
    for (const [how, spell] of Object.entries(spellings)) {
      assert.equal(hide(bearer(SECRET), `Sent: ${spell(SECRET)}; & 100 % \\o/`), 'Sent: ***; & 100 % \\o/', how)
    }
  })

  test('leaves at most two characters where the text is cut', () => {
    for (const [how, spell] of Object.entries(spellings)) {
      const [whole, three] = [spell(SECRET), spell(SECRET.slice(0, 3))]
      for (let length = 0; length < whole.length; length += 1) {
        for (const mark of ['', '…', '…", expected "ok"']) {
          const shown = hide(bearer(SECRET), `Sent: ${whole.slice(0, length)}${mark}`)
          const left = shown.slice('Sent: '.length, shown.length - mark.length)
          assert.ok(left === '***' || left.length < three.length, `${how}: ${shown}`)
        }
      }
    }
  })

  test('is hidden with others that overlap it', () => {
    const settings = { ...bearer('abcdefgh'), ...headers({ a: 'efghijkl', b: 'cdef', c: 'abcdefghijklmnop' }) }
    assert.equal(hide(settings, '-abcdefghijkl-'), '-***-')
    assert.equal(hide(settings, '-abcdefghijklmnop-cdef-abcd-'), '-***-***-abcd-')
  })

  test('is hidden up to where a long one was cut by the target', () => {
    const token = Array.from({ length: 200 }, (_, i) => i.toString(36)).join('-')
    assert.equal(hide(bearer(token), `Sent: ${token.slice(0, 60)}... (truncated)`), 'Sent: ***... (truncated)')
  })

  test('stays if it has fewer than four characters', () => {
    assert.equal(hide(bearer('abc'), 'abc abcd'), 'abc abcd')
    assert.equal(hide(bearer('abcd'), 'abc abcd'), 'abc ***')
  })
})

describe('the secrets of a monitor', () => {
  const shown = (settings: SentSettings, text: string) => assert.equal(hide(settings, text), text)
  const hidden = (settings: SentSettings, ...texts: readonly string[]) => {
    for (const text of texts) assert.equal(hide(settings, `got <${text}>`), 'got <***>', text)
  }

  test('are values of headers and their parts, but not of harmless ones', () => {
    hidden(headers({ 'X-API-Key': 'k3y-0123' }), 'k3y-0123')
    hidden(headers({ Authorization: 'Bearer t0k3n' }), 'Bearer t0k3n', 't0k3n')
    hidden(headers({ Cookie: 'theme=light; sid="s3ss10n"' }), 's3ss10n', 'light')
    hidden(headers({ authorization: `Basic ${base64('me:s3cret')}` }), base64('me:s3cret'), 's3cret')
    shown(headers({ Accept: 'text/html', 'User-Agent': 'probe/1.0' }), 'text/html probe/1.0')
  })

  test('are not words that say nothing, nor the names of the target', () => {
    shown(headers({ 'X-Forwarded-Proto': 'https', 'X-Test': 'true' }), 'https://shop.example/ {"ok":true}')
    const settings = {
      url: 'https://203.0.113.7/',
      ...headers({ Host: 'shop.example', Origin: 'https://203.0.113.7' }),
    }
    shown(settings, 'https://shop.example/ at https://203.0.113.7/')
    shown(headers({ Authorization: 'Bearer t0k3n' }), 'A Bearer token is required')
  })

  test('are the body and the texts in it, but not their names', () => {
    const json = JSON.stringify({ user: 'alice', login: [{ password: 'hunter2' }], keep: true })
    hidden({ requestBody: json }, json, 'alice', 'hunter2')
    hidden({ requestBody: 'user=alice&password=hunter%2B2' }, 'alice', 'hunter+2', 'hunter%2B2')
    hidden({ requestBody: '<login user="alice"><password>hunter2</password></login>' }, 'alice', 'hunter2')
    shown({ requestBody: json }, 'password and login are required')
    hidden({ requestBody: `${'['.repeat(50_000)}"hunter2"${']'.repeat(50_000)}` }, 'hunter2')
  })

  test('are the user information of an address and of a proxy, and logins', () => {
    const url = 'https://al%69ce:p%40ss@shop.example/'
    hidden({ url }, 'alice', 'p@ss', 'al%69ce:p%40ss', base64('alice:p@ss'))
    hidden({ request: { proxyUrl: 'http://alice:p%40ss@proxy.example:3128' } }, 'p@ss', base64('alice:p@ss'))
    const auth = { type: 'BASIC', username: 'probe', password: 'p@ss' } as const
    hidden({ request: { auth } }, 'p@ss', base64('probe:p@ss'))
    shown({ request: { auth } }, 'Hello probe')
    const client = { tokenUrl: 'https://login.example/', clientId: 'probe', clientSecret: 's3cret' }
    hidden({ request: { auth: { type: 'OAUTH2_CLIENT_CREDENTIALS', ...client } } }, 's3cret', base64('probe:s3cret'))
  })

  test('are words that a dialogue sends, not those of a preset', () => {
    const sends = (step: object): SentSettings => ({ dialogue: { transport: 'TCP', steps: [step] } })
    hidden(sends({ send: 'AUTH probe p@ss\r\n' }), 'probe', 'p@ss')
    hidden(sends({ sendHex: Buffer.from('\x00\x07hunter2\x00').toString('hex') }), 'hunter2')
    shown({ dialogue: { transport: 'TCP', preset: 'SMTP' } }, '550 EHLO pharos')
  })
})

describe('the cost of hiding', () => {
  const spent = (settings: SentSettings, text: string) => {
    const before = threadCpuMs()
    hide(settings, text)
    return (threadCpuMs() - before) / slowness()
  }

  test('stays below 50 ms for a body of 64 KiB that is made for it, and most of it is hidden then', () => {
    const requestHeaders = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`h${i}`, 'a'.repeat(200 + i)]))
    const settings = { ...headers(requestHeaders), requestBody: JSON.stringify(Array(20_000).fill('aaaa')) }
    spent(settings, 'a')
    for (const text of ['a', '%61', '\\u0061', '&#97;', '&amp;', '%2525', 'a…', 'x']) {
      const ms = spent(settings, text.repeat(65_536 / text.length))
      assert.ok(ms < 50, `${text}: ${ms} ms`)
    }
    assert.equal(hide(settings, 'ab'.repeat(32_768)), 'ab'.repeat(32_768))
    assert.equal(hide(settings, 'a'.repeat(65_536)), '***')
  })
})
