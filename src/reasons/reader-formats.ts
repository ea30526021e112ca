import type { Formats } from './template.ts'

/** How a person reads values. `zone` is a name such as Europe/Berlin. */
export function readerFormats(locale: string | undefined, zone: string): Formats {
  const language = new Intl.NumberFormat(locale).resolvedOptions().locale.slice(0, 2)
  const separator = language === 'ja' || language === 'zh' ? '、' : ', '
  const or = new Intl.ListFormat(locale, { type: 'disjunction' })
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const rules = new Intl.PluralRules(locale)
  const at = (options: Intl.DateTimeFormatOptions): ((instant: string) => string) => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: zone })
    return (instant) => format.format(new Date(instant))
  }
  const clock = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const
  return {
    time: at({ month: 'short', day: 'numeric', ...clock }),
    date: at({ year: 'numeric', month: 'short', day: 'numeric' }),
    clock: at(clock),
    duration: (ms) => (ms < 1000 ? `${number.format(ms)} ms` : `${number.format(ms / 1000)} s`),
    list: (items) => items.join(separator),
    // Without the comma before "or" of American English, as in the API.
    or: (items) => (language === 'en' ? orInEnglish(items) : or.format(items)),
    field: (name) => name,
    enum: (value) => value,
    enums: (values) => values.join(separator),
    plural: (count) => rules.select(count),
  }
}

export function orInEnglish(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`
}
