import type { Reason } from '../../reasons/reason.ts'
import { renderReason } from '../../reasons/render.ts'
import type { Formats } from '../../reasons/template.ts'
import { catalogues } from '../../reasons/text-for.ts'
import type { Words } from './languages/words.ts'

/** A cause in the reader's language. Its times are written like the others of the message, which was made at `now`. */
export function causeText(reason: Reason, words: Words, now: number): string {
  const formats: Formats = {
    time: (instant) => words.time(Date.parse(instant), now),
    date: (instant) => words.date(Date.parse(instant), now),
    clock: (instant) => words.time(Date.parse(instant), now),
    duration: words.responseTime,
    list: words.list,
    or: words.either,
    field: (name) => name,
    enum: (value) => value,
    enums: words.list,
    plural: words.plural,
  }
  return renderReason(reason, catalogues[words.language], formats)
}
