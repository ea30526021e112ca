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

    test('formats times with their time zone', () => {
      const t = translatorFor(locale, 'Asia/Kolkata')
      assert.match(t.moment(0), /5:30|05:30/)
      assert.match(t.moment(0), /GMT|UTC|IST/)
      assert.match(translatorFor(locale, 'UTC').lately(0), /UTC/)
    })
  })
}

test('uptime is rounded down: one second of down time in a year is not 100 %', () => {
  const t = translatorFor('en', 'UTC')
  assert.equal(t.percent(1), '100%')
  assert.equal(t.percent(1 - 1 / (365 * 86_400)), '99.999%')
  assert.equal(t.percent(0.999_89), '99.989%')
})

test('durations have their two largest units and are never empty', () => {
  const t = translatorFor('en', 'UTC')
  const told = [0, 900, 59_999, MINUTE_MS, 14.9 * MINUTE_MS, 2 * HOUR_MS + 5 * MINUTE_MS, 3 * DAY_MS + 4.5 * HOUR_MS]
  assert.deepEqual(
    told.map((ms) => t.duration(ms)),
    ['1 sec', '1 sec', '59 sec', '1 min', '14 min', '2 hr, 5 min', '3 days, 4 hr'],
  )
  assert.equal(t.minutes(90 * DAY_MS), '129,600 min')
  assert.equal(t.minutes(20_000), '20 sec')
})

test('an unknown language falls back to English', () => {
  assert.equal(translatorFor('tlh' as Locale, 'UTC').text('today'), 'Today')
})
