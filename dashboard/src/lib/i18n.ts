import { catalogue, language, locale } from './language.ts'

type Values = Readonly<Record<string, string | number>>

const placeholder = /\{(\w+)\}/

/** The text in the user's language. `{name}` is replaced by the value of that name. */
export function t(text: string, values?: Values): string {
  const translated = catalogue[text]
  const found = typeof translated === 'string' ? translated : text
  return values === undefined ? found : fill(found, values)
}

/** Like `t`, with elements as values: returns the parts of the text in order. */
export function tx<Part>(text: string, values: Readonly<Record<string, Part>>): (Part | string | undefined)[] {
  // Every second part is the name of a placeholder.
  return t(text)
    .split(placeholder)
    .map((part, i) => (i % 2 === 0 ? part : values[part]))
}

const rules = new Intl.PluralRules(language)

/** "1 monitor", "3 monitors". Catalogues have the forms under the English plural, such as "{count} monitors". */
export function plural(count: number, one: string, many: string = `${one}s`): string {
  const forms = catalogue[`{count} ${many}`]
  const form = typeof forms === 'object' ? (forms[rules.select(count)] ?? forms.other) : undefined
  return fill(form ?? `{count} ${count === 1 ? one : many}`, { count: count.toLocaleString(locale) })
}

function fill(text: string, values: Values): string {
  return text.split(placeholder).reduce((filled, part, i) => filled + (i % 2 === 0 ? part : (values[part] ?? '')), '')
}
