import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/lib/clock.ts'
import { catalogues, type Locale, translatorFor } from '../../../../src/publishing/public-site/languages/translator.ts'
import { locales } from '../../../../src/publishing/status-pages/schema.ts'

const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string).sort()
const forms = (text: string | object): [string, string][] =>
  typeof text === 'string' ? [['', text]] : (Object.entries(text) as [string, string][])

for (const locale of locales) {
  describe(`the language ${locale}`, () => {
    test('has the same placeholders as English in every form', () => {
      for (const [key, english] of Object.entries(catalogues.en)) {
        const wanted = placeholders(forms(english).at(-1)?.[1] ?? '')
        for (const [form, text] of forms(catalogues[locale][key as never])) {
          const isSaidInWords = form === 'one' && wanted.includes('count')
          const found = placeholders(text)
          assert.deepEqual(isSaidInWords ? [...new Set([...found, 'count'])].sort() : found, wanted, `${key} ${form}`)
          assert.notEqual(text.trim(), '', key)
        }
      }
    })

    test('has a form for every plural category that occurs', () => {
      const { pluralCategories } = new Intl.PluralRules(locale).resolvedOptions()
      // Spanish, French and Portuguese have a category for millions, which do not occur here.
      const needed = pluralCategories.filter((category) => category !== 'many')
      for (const [key, text] of Object.entries(catalogues[locale])) {
        if (typeof text !== 'string') assert.deepEqual(Object.keys(text).sort(), [...needed].sort(), key)
      }
    })

    test('formats times in the time zone of the page, and names it only where asked', () => {
      const t = translatorFor(locale, 'Asia/Kolkata')
      assert.match(t.moment(0), /5:30|05:30/)
      assert.doesNotMatch(t.moment(0), /GMT|UTC|IST/)
      assert.match(t.zonedMoment(0), /GMT|UTC|IST/)
      assert.match(translatorFor(locale, 'UTC').zonedRange(0, 1), /UTC/)
      assert.equal(translatorFor(locale, 'UTC').zoneName(0), 'UTC')
      assert.doesNotMatch(t.zoneName(0), /Asia\/Kolkata/)
    })
  })
}

test('uptime is rounded down: one second of downtime in a year is not 100%', () => {
  const t = translatorFor('en', 'UTC')
  assert.equal(t.percent(1), '100%')
  assert.equal(t.percent(1 - 1 / (365 * 86_400)), '99.99%')
  assert.equal(t.percent(0.999_89), '99.98%')
  assert.equal(t.percent(0.9997), '99.97%')
})

test('durations have their two largest units and are never empty', () => {
  const t = translatorFor('en', 'UTC')
  const durations = [
    0,
    900,
    59_999,
    MINUTE_MS,
    14.9 * MINUTE_MS,
    2 * HOUR_MS + 5 * MINUTE_MS,
    3 * DAY_MS + 4.5 * HOUR_MS,
  ]
  assert.deepEqual(
    durations.map((ms) => t.duration(ms)),
    ['1 s', '1 s', '59 s', '1 min', '14 min', '2 h 5 min', '3 d 4 h'],
  )
})

test('counts use the plural of their language', () => {
  const t = translatorFor('fr', 'UTC')
  assert.equal(t.counted('degradedOf', 1, { total: '14' }), '1 sur 14 dégradé')
  assert.equal(t.counted('degradedOf', 3, { total: '14' }), '3 sur 14 dégradés')
  assert.equal(translatorFor('es', 'UTC').counted('downOf', 1, { total: '2' }), '1 de 2 caído')
})

test('English times use the 12-hour clock, other languages the 24-hour clock', () => {
  const at = Date.UTC(2026, 0, 5, 21, 5)
  assert.match(translatorFor('en', 'UTC').moment(at), /^Jan 5, 2026, 9:05\sPM$/)
  assert.equal(translatorFor('de', 'UTC').moment(at), '5. Jan. 2026, 21:05')
})

test('an unknown language falls back to English', () => {
  assert.equal(translatorFor('tlh' as Locale, 'UTC').text('today'), 'Today')
})

test('names of a list are apart in every language', () => {
  for (const locale of locales) {
    const list = translatorFor(locale, 'UTC').list(['Orders', 'API'])
    assert.match(list, /^Orders(?:, |、| (?:y|et|e) )API$/, locale)
  }
})
