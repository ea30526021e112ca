import assert from 'node:assert/strict'
import { test } from 'node:test'
import { englishText } from '../../src/reasons/english.ts'
import { type ReasonCode, reason } from '../../src/reasons/reason.ts'
import { reasonIn, storedReason } from '../../src/reasons/stored.ts'
import { placeholdersIn, type Template } from '../../src/reasons/template.ts'
import { catalogues, reasonText } from '../../src/reasons/text-for.ts'

const formsOf = (template: Template): readonly string[] =>
  typeof template === 'string' ? [template] : Object.values(template)

test('every code has a text with the same values in every language', () => {
  for (const [language, catalogue] of Object.entries<Readonly<Record<string, Template>>>(catalogues)) {
    assert.deepEqual(Object.keys(catalogue), Object.keys(catalogues.en), language)
    for (const [code, english] of Object.entries<Template>(catalogues.en)) {
      const wanted = [...new Set(formsOf(english).flatMap(placeholdersIn))].sort()
      const texts = formsOf(catalogue[code] as Template)
      const found = [...new Set(texts.flatMap(placeholdersIn))].sort()
      // The form for one may do without the number.
      assert.deepEqual(found, wanted, `${language} ${code}`)
      assert.ok(
        texts.every((text) => text.trim() === text && text !== ''),
        `${language} ${code}`,
      )
    }
  }
})

/** Names, units and abbreviations that are the same in every language. */
const SAME = /^(?:HTTP|RDAP|WHOIS|Header|ms|Proxy|TLS|[\s\p{P}\p{S}\d])*$/u

test('no text is still English', () => {
  for (const [language, catalogue] of Object.entries<Readonly<Record<string, Template>>>(catalogues)) {
    if (language === 'en') continue
    const same = Object.entries<Template>(catalogues.en)
      .filter(([code]) => !/^(?:field|nouns?)_/.test(code))
      .filter(([code, english]) => JSON.stringify(english) === JSON.stringify(catalogue[code]))
      .filter(([, english]) => !formsOf(english).every((text) => SAME.test(text.replaceAll(/\{[^}]*\}/g, ''))))
    assert.deepEqual(same, [], language)
  }
})

test('a reader sees times in the own zone and language, the API in UTC', () => {
  const missed = reason('heartbeat_missed', { last: '2026-11-19T13:02:00.000Z', deadline: '2026-11-19T13:04:00.000Z' })
  assert.equal(
    englishText(missed),
    'No heartbeat since Nov 19, 2026, 1:02 PM UTC (expected by Nov 19, 2026, 1:04 PM UTC)',
  )
  assert.equal(
    reasonText(missed, 'de', 'Europe/Berlin'),
    'Kein Heartbeat seit 19. Nov., 14:02 MEZ (erwartet bis 19. Nov., 14:04 MEZ)',
  )
  const expired = reason('certificate_expired', { at: '2026-11-19T23:30:00.000Z' })
  assert.equal(englishText(expired), 'The certificate expired on Nov 19, 2026')
  assert.equal(reasonText(expired, 'en', 'Europe/Berlin'), 'The certificate expired on Nov 20, 2026')
})

test('plurals, lists and reasons in reasons are of the language', () => {
  const status = reason('http_status_named', {
    status: 503,
    name: 'Service Unavailable',
    expected: ['200', '2xx', '301'],
  })
  const cause = reason('both_families_fail', { cause: status })
  assert.equal(englishText(cause), 'IPv4 and IPv6 fail: HTTP 503 Service Unavailable (expected 200, 2xx or 301)')
  assert.equal(
    reasonText(cause, 'de', 'UTC'),
    'IPv4 und IPv6 schlagen fehl: HTTP 503 Service Unavailable (erwartet: 200, 2xx oder 301)',
  )
  assert.equal(reasonText(reason('ping_silent', { count: 1 }), 'fr', 'UTC'), 'Aucune réponse à 1 ping')
  assert.equal(
    reasonText(reason('ping_timeout', { count: 3, ms: 1_500 }), 'fr', 'UTC'),
    'Aucune réponse à 3 pings en 1,5 s',
  )
  assert.equal(
    reasonText(reason('records_now', { records: ['192.0.2.1', '192.0.2.2'] }), 'zh', 'UTC'),
    '记录现为 192.0.2.1、192.0.2.2',
  )
})

test('what is stored is read again, and a row without a code has its text', () => {
  const cause = reason('step', { number: 2, cause: reason('text', { text: 'a\0b' }) })
  assert.deepEqual(reasonIn(storedReason(cause)), reason('step', { number: 2, cause: reason('text', { text: 'a b' }) }))
  for (const text of ['Connection refused by 192.0.2.1:80', '{"code":"', '{"code":"from_the_future","values":{}}'])
    assert.equal(englishText(reasonIn(text)), text)
})

test('no stored reason has a time in words', () => {
  const timed = Object.entries<Template>(catalogues.en).filter(([, template]) =>
    formsOf(template).some((text) => /\bUTC\b|\b(?:19|20)\d\d\b/.test(text)),
  )
  assert.deepEqual(timed, [], 'a time is a value: {at:time}')
  const instant = '2026-11-19T13:02:00.000Z'
  for (const code of ['heartbeat_missed', 'certificate_expired', 'domain_expired'] satisfies ReasonCode[])
    assert.match(storedReason({ code, values: { at: instant, last: instant, deadline: instant } }), /T13:02:00\.000Z/)
})
