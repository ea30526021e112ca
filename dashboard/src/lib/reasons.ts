import { readerFormats } from '../../../src/reasons/reader-formats.ts'
import type { Reason, ReasonCode } from '../../../src/reasons/reason.ts'
import { renderReason, type Templates } from '../../../src/reasons/render.ts'
import { localZone } from './format.ts'
import { enumLabel, fieldLabel } from './labels.ts'
import { type Language, language, locale } from './language.ts'

/** A chunk for each language. */
const catalogues: Readonly<Record<Language, () => Promise<Templates>>> = {
  en: async () => (await import('../../../src/reasons/en.ts')).en,
  de: async () => (await import('../../../src/reasons/de.ts')).de,
  es: async () => (await import('../../../src/reasons/es.ts')).es,
  fr: async () => (await import('../../../src/reasons/fr.ts')).fr,
  ja: async () => (await import('../../../src/reasons/ja.ts')).ja,
  pt: async () => (await import('../../../src/reasons/pt.ts')).pt,
  zh: async () => (await import('../../../src/reasons/zh.ts')).zh,
}

let templates: Partial<Templates> = {}

export const loaded = catalogues[language]().then(
  (found) => {
    templates = found
  },
  () => undefined, // English sentences are better than no dashboard.
)
// The sentences of the API are English: nobody waits for that chunk.
if (language !== 'en') await loaded

const general = readerFormats(locale, localZone)
const formats = {
  ...general,
  field: fieldLabel,
  enum: enumLabel,
  enums: (values: readonly string[]) => general.list(values.map(enumLabel)),
}

/** The sentence of a reason; `text` is that of the API. */
function shown(reason: Reason | undefined, text: string): string {
  return reason === undefined || templates[reason.code] === undefined
    ? text
    : renderReason(reason, templates as Templates, formats)
}

/** The code and values of a sentence, which the dashboard's API adds to it: `causeReason` of `cause`. */
export function reasonOf<Name extends string>(
  of: { readonly [N in Name]: string | null },
  name: Name,
): Reason | undefined {
  return (of as Readonly<Record<string, unknown>>)[`${name}Reason`] as Reason | undefined
}

/** A sentence of the API in the reader's language and time zone. */
export function sentenceOf<Name extends string, Text extends string | null>(
  of: { readonly [N in Name]: Text },
  name: Name,
): Text {
  const text = of[name]
  return (text === null ? null : shown(reasonOf(of, name), text)) as Text
}

/** The same for a list of sentences. */
export function sentencesOf<Name extends string>(
  of: { readonly [N in Name]: readonly string[] },
  name: Name,
): string[] {
  const reasons = (of as Readonly<Record<string, unknown>>)[`${name}Reasons`] as readonly Reason[] | undefined
  return of[name].map((text, i) => shown(reasons?.[i], text))
}

/** "2xx or 3xx" */
export function orList(items: readonly string[]): string {
  return formats.or(items)
}

/** Words that the catalogue has anyway, such as the name of what changed. */
export function words(code: ReasonCode, text: string): string {
  return shown({ code, values: {} }, text)
}

/** A reason that the dashboard puts together itself. */
export function rendered(reason: Reason | undefined, text: string): string {
  return shown(reason, text)
}
