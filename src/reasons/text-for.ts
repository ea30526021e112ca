import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { pt } from './pt.ts'
import { readerFormats } from './reader-formats.ts'
import type { Reason } from './reason.ts'
import { renderReason, type Templates } from './render.ts'
import type { Formats } from './template.ts'
import { zh } from './zh.ts'

export const catalogues = { en, de, es, fr, ja, pt, zh } as const satisfies Readonly<Record<string, Templates>>

export type ReasonLanguage = keyof typeof catalogues

/** Intl formats are slow to create. */
const MAX_CACHED = 200
const cache = new Map<string, Formats>()

/** The sentence of a reason for a person: messages and pages. The API has `englishText`. */
export function reasonText(reason: Reason, language: ReasonLanguage, zone: string): string {
  const key = `${language} ${zone}`
  let formats = cache.get(key)
  if (formats === undefined) {
    formats = readerFormats(language, zone)
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(key, formats)
  }
  return renderReason(reason, catalogues[language], formats)
}
