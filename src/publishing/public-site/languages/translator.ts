import { durationFormat, rounded } from '../../../lib/localized-duration.ts'
import type { locales } from '../../status-pages/schema.ts'
import type { Catalogue, Filling, PlainKey, Plural, PluralKey } from './catalogue.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { pt } from './pt.ts'
import { zh } from './zh.ts'

export type Locale = (typeof locales)[number]

export const catalogues: Readonly<Record<Locale, Catalogue>> = { en, de, es, fr, ja, pt, zh }

/** Texts and formats in the language and time zone of a page. */
export type Translator = ReturnType<typeof createTranslator>

/** Intl formats are slow to create, so translators are cached by language and time zone. */
const MAX_CACHED = 200
const cache = new Map<string, Translator>()

export function translatorFor(locale: string, zone: string): Translator {
  const key = `${locale} ${zone}`
  let translator = cache.get(key)
  if (translator === undefined) {
    translator = createTranslator(locale in catalogues ? (locale as Locale) : 'en', zone)
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(key, translator)
  }
  return translator
}

function createTranslator(locale: Locale, zone: string) {
  const catalogue = catalogues[locale]
  const plurals = new Intl.PluralRules(locale)
  const format = new Intl.NumberFormat(locale)
  const number = cached((value) => format.format(value))
  const rule = cached((value) => plurals.select(value)) as (value: number) => Intl.LDMLPluralRule
  const lists = new Intl.ListFormat(locale, { type: 'unit', style: 'short' })
  return {
    locale,
    zone,
    text<K extends PlainKey>(key: K, ...[filling]: keyof Filling<K> extends never ? [] : [Filling<K>]): string {
      return fill(catalogue[key] as string, filling ?? {})
    },
    /** A plural form; the formatted number replaces `{count}`. */
    counted<K extends PluralKey>(
      key: K,
      count: number,
      ...[filling]: Exclude<keyof Filling<K>, 'count'> extends never ? [] : [Omit<Filling<K>, 'count'>]
    ): string {
      const forms = catalogue[key] as Plural
      return fill(forms[rule(count)] ?? forms.other, { ...filling, count: number(count) })
    },
    /** Intl puts nothing between the items of a Chinese list, and a space between those of a Japanese one. */
    list: (items: readonly string[]): string =>
      locale === 'ja' || locale === 'zh' ? items.join('、') : lists.format(items),
    ...timesIn(locale, zone),
    ...quantitiesIn(locale),
  }
}

function fill(text: string, filling: Readonly<Record<string, string>>): string {
  let whole = ''
  let at = 0
  for (let open = text.indexOf('{'); open !== -1; open = text.indexOf('{', at)) {
    const close = text.indexOf('}', open)
    whole += text.slice(at, open) + (filling[text.slice(open + 1, close)] ?? '')
    at = close + 1
  }
  return at === 0 ? text : whole + text.slice(at)
}

function timesIn(locale: Locale, zone: string) {
  const date = { year: 'numeric', month: 'short', day: 'numeric' } as const
  // 9:05 AM in English, 09:05 in the others.
  const clock = { hour: locale === 'en' ? 'numeric' : '2-digit', minute: '2-digit' } as const
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options)
  const moment = format({ ...date, ...clock, timeZone: zone })
  const zonedMoment = format({ ...date, ...clock, timeZone: zone, timeZoneName: 'short' })
  const zoneFormat = format({ timeZone: zone, timeZoneName: 'longGeneric' })
  const lately = format({ month: 'short', day: 'numeric', ...clock, timeZone: zone })
  const utcDay = format({ ...date, timeZone: 'UTC' })
  const month = format({ year: 'numeric', month: 'long', timeZone: zone })
  // Swedish dates are YYYY-MM-DD.
  const iso = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
  return {
    /** Date and time. Pages name the time zone once, in the footer. */
    moment: (at: number): string => moment.format(at),
    /** Without the year, for dates within weeks of now. */
    lately: (at: number): string => lately.format(at),
    range: (from: number, to: number): string => moment.formatRange(from, to),
    /** With the time zone, for e-mails and feeds. */
    zonedMoment: (at: number): string => zonedMoment.format(at),
    zonedRange: (from: number, to: number): string => zonedMoment.formatRange(from, to),
    /** The name of the time zone, such as Central European Time. */
    zoneName(at: number): string {
      const name = zoneFormat.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value
      return zone === 'UTC' ? zone : (name ?? zone)
    },
    /** A date in UTC, as the daily bars use it. */
    utcDay: cached((at) => utcDay.format(at)),
    month: (at: number): string => month.format(at),
    /** YYYY-MM-DD in the time zone of the page. */
    dateOf: (at: number): string => iso.format(at),
  }
}

function quantitiesIn(locale: Locale) {
  const milliseconds = new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: 'millisecond',
    unitDisplay: 'short',
    maximumFractionDigits: 0,
  })
  const durationOf = cached(durationFormat(locale))
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  const percentOf = cached((share) => percent.format(share))
  return {
    duration: (ms: number): string => durationOf(rounded(ms)),
    milliseconds: cached((ms) => milliseconds.format(ms)),
    /** Two decimals, rounded down, so that only exactly 1 gives 100%. */
    percent: (share: number): string => percentOf(floored(share)),
  }
}

/** The tolerance keeps a binary fraction such as 0.9996999… from losing its last digit. */
function floored(share: number): number {
  return Math.floor(share * 10_000 + 1e-7) / 10_000
}

const MAX_CACHED_VALUES = 2_000

/** Caches formatted values: the same dates and durations repeat, and Intl formats are slow. */
function cached(format: (value: number) => string): (value: number) => string {
  const known = new Map<number, string>()
  return (value) => {
    let text = known.get(value)
    if (text === undefined) {
      text = format(value)
      if (known.size >= MAX_CACHED_VALUES) known.clear()
      known.set(value, text)
    }
    return text
  }
}
