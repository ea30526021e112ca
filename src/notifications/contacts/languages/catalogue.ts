import type { en } from './en.ts'

/** One form per plural category of the language. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }

type English = typeof en
type Key = keyof English
export type PluralKey = { [K in Key]: English[K] extends string ? never : K }[Key]
export type PlainKey = Exclude<Key, PluralKey>

/** Every language must have exactly the keys of the English texts. */
export type Catalogue = { readonly [K in Key]: English[K] extends string ? string : Plural }

type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type TextOf<K extends Key> = English[K] extends string
  ? English[K]
  : English[K] extends { other: infer Other extends string }
    ? Other
    : never

/** The placeholders of a text, taken from the English one. */
export type Filling<K extends Key> = Readonly<Record<Names<TextOf<K>>, string>>
