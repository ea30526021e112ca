import { catalogue, language, locale } from './language.ts'

type Values = Readonly<Record<string, string | number>>

/** The names in the braces of a text. */
type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never

/** A value for each placeholder, where the text is known to the compiler. */
type ValuesFor<Text extends string, Value> = Readonly<Record<string extends Text ? string : Placeholder<Text>, Value>>

/** No values for a text without placeholders. */
type Arguments<Text extends string> = string extends Text
  ? [values?: Values]
  : [Placeholder<Text>] extends [never]
    ? []
    : [values: ValuesFor<Text, string | number>]

const placeholder = /\{(\w+)\}/

/** The text in the user's language. `{name}` is replaced by the value of that name. */
export function t<Text extends string>(text: Text, ...given: Arguments<Text>): string {
  const found = translated(text)
  const [values] = given
  return values === undefined ? found : fill(found, values)
}

/** Like `t`, with elements as values: returns the parts of the text in order. */
export function tx<Text extends string, Given extends ValuesFor<Text, unknown>>(
  text: Text,
  values: Given,
): (Given[keyof Given] | string | undefined)[] {
  // Every second part is the name of a placeholder.
  return translated(text)
    .split(placeholder)
    .map((part, i) => (i % 2 === 0 ? part : values[part as keyof Given]))
}

function translated(text: string): string {
  const found = catalogue[text]
  return typeof found === 'string' ? found : text
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
