import type { en } from './en.ts'

/** A text that depends on a number: a form for each way of counting that its language has; `other` is what is left. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }

type English = typeof en
export type Key = keyof English
export type PluralKey = { [K in Key]: English[K] extends string ? never : K }[Key]
export type PlainKey = Exclude<Key, PluralKey>

/** What every language says: a text that is missing, or one too many, is an error of types. */
export type Catalogue = { readonly [K in Key]: English[K] extends string ? string : Plural }

type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type TextOf<K extends Key> = English[K] extends string
  ? English[K]
  : English[K] extends { other: infer Other extends string }
    ? Other
    : never

/** What is to be filled into a text, by the names that the English one has. */
export type Filling<K extends Key> = Readonly<Record<Names<TextOf<K>>, string>>
