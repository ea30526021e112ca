import { DAY_MS, MINUTE_MS } from '../../../lib/clock.ts'
import { durationFormat } from '../../../lib/localized-duration.ts'
import type { Catalogue, Filling, PlainKey, Plural, PluralKey } from './catalogue.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { pt } from './pt.ts'
import { zh } from './zh.ts'

export const languages = ['en', 'de', 'es', 'fr', 'ja', 'pt', 'zh'] as const

export type Language = (typeof languages)[number]

/** Texts and formats in the language and time zone of a contact. */
export type Words = ReturnType<typeof createWords>

/** Intl formats are slow to create, so they are cached by language and time zone. */
const MAX_CACHED = 200
const cache = new Map<string, Words>()

export function wordsFor(language: string, zone: string): Words {
  const key = `${language} ${zone}`
  let words = cache.get(key)
  if (words === undefined) {
    words = createWords(languages.find((known) => known === language) ?? 'en', zone)
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(key, words)
  }
  return words
}

export const catalogues: Readonly<Record<Language, Catalogue>> = { en, de, es, fr, ja, pt, zh }

/** Where the language has variants. Times of en-US have 12 hours; lists of en-GB have no comma before the last item. */
const variants: Partial<Record<Language, string>> = { en: 'en-US', pt: 'pt-BR', zh: 'zh-CN' }

function createWords(language: Language, zone: string) {
  const catalogue = catalogues[language]
  const locale = variants[language] ?? language
  const plurals = new Intl.PluralRules(locale)
  const number = new Intl.NumberFormat(locale)
  const lists = new Intl.ListFormat(language === 'en' ? 'en-GB' : locale, { type: 'conjunction' })
  const choices = new Intl.ListFormat(language === 'en' ? 'en-GB' : locale, { type: 'disjunction' })
  // Intl separates the items of such lists by nothing in Chinese, and by a space in Japanese.
  const separator = language === 'ja' || language === 'zh' ? '、' : ', '
  const times = timesIn(locale, zone)
  const words = {
    language,
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
      return fill(forms[plurals.select(count)] ?? forms.other, { ...filling, count: number.format(count) })
    },
    /** Checkout, Orders API and 10 more. */
    names(all: readonly string[], max: number): string {
      if (all.length <= max) return lists.format(all)
      const shown = Math.max(1, max - 1)
      return lists.format([...all.slice(0, shown), words.counted('moreNames', all.length - shown)])
    },
    /** 2xx or 3xx. */
    either: (texts: readonly string[]): string => choices.format(texts),
    plural: (count: number) => plurals.select(count),
    /** 912 ms, 877 ms, 1.2 s. */
    list: (texts: readonly string[]): string => texts.join(separator),
    ...times,
    /** Short ranges to the second. */
    range(from: number, to: number, now: number): string {
      return fill(catalogue.range, { from: times.from(from, to, now), to: times.until(from, to, now) })
    },
    ...quantitiesIn(locale, language),
  }
  return words
}

function fill(text: string, filling: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name) => filling[name] ?? '')
}

function timesIn(locale: string, zone: string) {
  const clock = { hour: locale === 'en-US' ? 'numeric' : '2-digit', minute: '2-digit', timeZone: zone } as const
  const day = { month: 'short', day: 'numeric', timeZone: zone } as const
  const formatOf = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options)
  const withSeconds = { ...clock, second: '2-digit' } as const
  const formats = {
    time: { short: formatOf(clock), exact: formatOf(withSeconds) },
    moment: { short: formatOf({ ...day, ...clock }), exact: formatOf({ ...day, ...withSeconds }) },
    day: formatOf(day),
    dayOfYear: formatOf({ ...day, year: 'numeric' }),
  }
  // Swedish dates are YYYY-MM-DD.
  const iso = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
  const isSameDay = (a: number, b: number): boolean => Math.abs(a - b) < DAY_MS && iso.format(a) === iso.format(b)
  // The default that nobody chose, so it is named.
  const suffix = zone === 'UTC' ? ' UTC' : ''
  type Precision = keyof typeof formats.time
  const timeOn = (today: number, at: number, precision: Precision): string =>
    spaced((isSameDay(at, today) ? formats.time : formats.moment)[precision].format(at))
  const precisionOf = (from: number, to: number): Precision => (to - from < MINUTE_MS ? 'exact' : 'short')
  return {
    /** To the second. With the date if that is not today. */
    exactTime: (at: number, now: number): string => timeOn(now, at, 'exact') + suffix,
    time: (at: number, now: number): string => timeOn(now, at, 'short') + suffix,
    from: (from: number, to: number, now: number): string => timeOn(now, from, precisionOf(from, to)),
    /** Without the date if that is the date of `from`. */
    until(from: number, to: number, now: number): string {
      return timeOn(isSameDay(from, to) ? to : now, to, precisionOf(from, to)) + suffix
    },
    /** With the year if it is another one. */
    date: (at: number, now: number): string =>
      spaced((iso.format(at).slice(0, 4) === iso.format(now).slice(0, 4) ? formats.day : formats.dayOfYear).format(at)),
    startOfDay: (now: number): number =>
      Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).startOfDay().epochMilliseconds,
  }
}

/** Some devices show the narrow spaces of Intl as boxes. */
function spaced(text: string): string {
  return text.replaceAll(/[\u202f\u2009]/g, ' ')
}

function quantitiesIn(locale: string, language: Language) {
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const seconds = new Intl.NumberFormat(locale, { style: 'unit', unit: 'second', maximumFractionDigits: 1 })
  const hasSymbol = language !== 'ja' && language !== 'zh'
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2, roundingMode: 'floor' })
  const duration = durationFormat(language)
  return {
    duration: (ms: number): string => spaced(duration(ms)),
    /** 800 ms, 1.2 s. */
    responseTime(ms: number): string {
      if (ms < 1_000) return `${number.format(Math.round(ms))} ms`
      return hasSymbol ? `${number.format(ms / 1_000)} s` : seconds.format(ms / 1_000)
    },
    /** Rounded down, so that only exactly 1 gives 100%. The tolerance is for binary fractions. */
    percent: (share: number): string => spaced(percent.format(Math.min(1, share + 1e-9))),
  }
}

/** A line begins with a capital letter where the language has them. */
export function capitalized(text: string, { language }: Words): string {
  const [first = ''] = text
  return `${first.toLocaleUpperCase(language)}${text.slice(first.length)}`
}
