/** One form per plural category of the language; `count` decides. */
type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }
export type Template = string | Plural

/** `{at:date}`: how values become text. A value without a format stays as it is. */
export interface Formats {
  /** Of an ISO instant. */
  time(instant: string): string
  date(instant: string): string
  /** The time of day. */
  clock(instant: string): string
  duration(ms: number): string
  list(items: readonly string[]): string
  or(items: readonly string[]): string
  /** The name of a field of the API, an enum value of it, and a list of these. */
  field(name: string): string
  enum(value: string): string
  enums(values: readonly string[]): string
  plural(count: number): Intl.LDMLPluralRule
}

type Format = Exclude<keyof Formats, 'plural'>

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

type TextOf<T extends Template> = T extends string ? T : T extends { readonly other: infer Other } ? Other : never

type NameOf<P extends string> = P extends `${infer Name}:${string}` ? Name : P

/** What a placeholder takes. */
type Given<P extends string, Nested> = P extends `${string}:${infer F}`
  ? F extends 'duration'
    ? number
    : F extends 'list' | 'or' | 'enums'
      ? readonly (Nested | string)[]
      : string
  : P extends 'count'
    ? number
    : Nested | string | number

/** The values of a template by name. Numbers stay numbers, instants are ISO texts. */
export type ValuesOf<T extends Template, Nested> = {
  readonly [P in Placeholders<TextOf<T> & string> as NameOf<P>]: Given<P, Nested>
}

const placeholder = /\{(\w+)(?::(\w+))?\}/g

/** The names in the braces with their formats, to compare languages. */
export function placeholdersIn(text: string): string[] {
  return text.match(placeholder)?.toSorted() ?? []
}

/** Puts values into a template; `textOf` renders values that are no texts. */
export function fill(
  template: Template,
  values: Readonly<Record<string, unknown>>,
  formats: Formats,
  textOf: (value: unknown) => string,
): string {
  const text =
    typeof template === 'string' ? template : (template[formats.plural(Number(values.count))] ?? template.other)
  return text.replaceAll(placeholder, (_, name: string, format: Format | undefined) => {
    const value = values[name]
    if (format === undefined || value === undefined) return textOf(value)
    return format === 'list' || format === 'or' || format === 'enums'
      ? formats[format]((value as readonly unknown[]).map(textOf))
      : formats[format](value as never)
  })
}
