import { utcDateText, utcTimeText } from '../lib/timestamp.ts'
import { en } from './en.ts'
import { orInEnglish } from './reader-formats.ts'
import type { Reason } from './reason.ts'
import { renderReason } from './render.ts'
import type { Formats } from './template.ts'

const formats: Formats = {
  time: (instant) => utcTimeText(Date.parse(instant)),
  date: (instant) => utcDateText(Date.parse(instant)),
  clock: (instant) => `${instant.slice(11, 16)} UTC`,
  duration: (ms) => (ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(1))} s`),
  list: (items) => items.join(', '),
  or: orInEnglish,
  field: (name) => name,
  enum: (value) => value,
  enums: (values) => values.join(', '),
  plural: (count) => (count === 1 ? 'one' : 'other'),
}

/** The sentence of the API, in UTC. */
export function englishText(reason: Reason): string {
  return renderReason(reason, en, formats)
}
