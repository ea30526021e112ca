import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/clock.ts'
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

/** What a page says, in its language and in the zone of its clock. */
export interface Translator {
  readonly locale: Locale
  readonly direction: 'ltr' | 'rtl'
  readonly zone: string
  text<K extends PlainKey>(key: K, ...filling: keyof Filling<K> extends never ? [] : [Filling<K>]): string
  /** A text that depends on a number, which fills in `{count}`. */
  counted<K extends PluralKey>(
    key: K,
    count: number,
    ...filling: Exclude<keyof Filling<K>, 'count'> extends never ? [] : [Omit<Filling<K>, 'count'>]
  ): string
  /** Day and time, with the zone beside them. */
  moment(at: number): string
  /** The same without the year, which goes without saying for what was or comes within weeks. */
  lately(at: number): string
  range(from: number, to: number): string
  /** A day of the page's calendar. */
  day(at: number): string
  /** A day that bars are counted in. */
  utcDay(at: number): string
  month(at: number): string
  duration(ms: number): string
  /** A length of time as minutes, however many: what uptime is worked out from. */
  minutes(ms: number): string
  milliseconds(ms: number): string
  /** Rounded down, for nothing that failed at all is 100 %. */
  percent(share: number): string
  list(items: readonly string[]): string
  /** The day of the page's calendar that a moment falls on, as YYYY-MM-DD. */
  dateOf(at: number): string
}

/** Formats are expensive to make and are kept; pages of a few languages and zones share them. */
const MAX_KEPT = 200
const kept = new Map<string, Translator>()

export function translatorFor(locale: string, zone: string): Translator {
  const key = `${locale} ${zone}`
  let t = kept.get(key)
  if (t === undefined) {
    t = createTranslator(locale in catalogues ? (locale as Locale) : 'en', zone)
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(key, t)
  }
  return t
}

function createTranslator(locale: Locale, zone: string): Translator {
  const catalogue = catalogues[locale]
  const plurals = new Intl.PluralRules(locale)
  const format = new Intl.NumberFormat(locale)
  const number = remembered((value) => format.format(value))
  const rule = remembered((value) => plurals.select(value)) as (value: number) => Intl.LDMLPluralRule
  const times = formats(locale, zone)
  return {
    locale,
    direction: 'ltr',
    zone,
    text: (key, filling?: Readonly<Record<string, string>>) => filled(catalogue[key] as string, filling ?? {}),
    counted(key, count, filling?: Readonly<Record<string, string>>) {
      const forms = catalogue[key] as Plural
      return filled(forms[rule(count)] ?? forms.other, { ...filling, count: number(count) })
    },
    ...times,
    list: listOf(locale),
  }
}

function filled(text: string, filling: Readonly<Record<string, string>>): string {
  let whole = ''
  let at = 0
  for (let open = text.indexOf('{'); open !== -1; open = text.indexOf('{', at)) {
    const close = text.indexOf('}', open)
    whole += text.slice(at, open) + (filling[text.slice(open + 1, close)] ?? '')
    at = close + 1
  }
  return at === 0 ? text : whole + text.slice(at)
}

function listOf(locale: Locale): Translator['list'] {
  const format = new Intl.ListFormat(locale, { type: 'unit', style: 'short' })
  return (items) => format.format(items)
}

type Formats = Omit<Translator, 'locale' | 'direction' | 'zone' | 'text' | 'counted' | 'list'>

function formats(locale: Locale, zone: string): Formats {
  const date = { year: 'numeric', month: 'short', day: 'numeric' } as const
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options)
  const moment = format({ ...date, ...clock, timeZone: zone })
  const lately = format({ month: 'short', day: 'numeric', ...clock, timeZone: zone })
  const day = format({ ...date, timeZone: zone })
  const utcDay = format({ ...date, timeZone: 'UTC' })
  const month = format({ year: 'numeric', month: 'long', timeZone: zone })
  // This country writes dates as the standard does.
  const iso = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
  return {
    moment: (at) => moment.format(at),
    lately: (at) => lately.format(at),
    range: (from, to) => moment.formatRange(from, to),
    day: (at) => day.format(at),
    utcDay: remembered((at) => utcDay.format(at)),
    month: (at) => month.format(at),
    dateOf: (at) => iso.format(at),
    ...quantities(locale),
  }
}

function quantities(locale: Locale): Pick<Formats, 'duration' | 'minutes' | 'milliseconds' | 'percent'> {
  const unit = (unit: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 0 })
  const [minute, second, millisecond] = [unit('minute'), unit('second'), unit('millisecond')]
  const lasting = new Intl.DurationFormat(locale, { style: 'short' })
  const durationOf = remembered((ms) => lasting.format(parts(ms)))
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 3 })
  const minutesOf = remembered((count) => minute.format(count))
  const percentOf = remembered((share) => percent.format(share))
  return {
    duration: (ms) => durationOf(rounded(ms)),
    minutes: (ms) =>
      ms > 0 && ms < MINUTE_MS ? second.format(Math.ceil(ms / SECOND_MS)) : minutesOf(Math.round(ms / MINUTE_MS)),
    milliseconds: remembered((ms) => millisecond.format(ms)),
    percent: (share) => percentOf(Math.floor(share * 100_000) / 100_000),
  }
}

const MAX_REMEMBERED = 2_000

/** The same days and lengths of time come up again and again, and some formats take as long as the rest of a monitor. */
function remembered(format: (value: number) => string): (value: number) => string {
  const known = new Map<number, string>()
  return (value) => {
    let text = known.get(value)
    if (text === undefined) {
      text = format(value)
      if (known.size >= MAX_REMEMBERED) known.clear()
      known.set(value, text)
    }
    return text
  }
}

/** A length of time without what is not said of it. */
function rounded(ms: number): number {
  const unit = ms < MINUTE_MS ? SECOND_MS : ms < DAY_MS ? MINUTE_MS : HOUR_MS
  return Math.max(SECOND_MS, Math.floor(ms / unit) * unit)
}

/** A length of time in its two largest units. */
function parts(ms: number): Partial<Record<'days' | 'hours' | 'minutes' | 'seconds', number>> {
  if (ms < MINUTE_MS) return { seconds: Math.floor(ms / SECOND_MS) }
  if (ms < HOUR_MS) return { minutes: Math.floor(ms / MINUTE_MS) }
  if (ms < DAY_MS) return { hours: Math.floor(ms / HOUR_MS), minutes: Math.floor((ms % HOUR_MS) / MINUTE_MS) }
  return { days: Math.floor(ms / DAY_MS), hours: Math.floor((ms % DAY_MS) / HOUR_MS) }
}
