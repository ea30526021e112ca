import { labelKey, MAX_LABEL_VALUE_CHARS, MAX_LABELS } from '../lib/selector.ts'
import { asciiWords } from '../publishing/status-pages/slug.ts'

/** Adds a tag as a label, or a loss if it cannot be one. */
export function addLabel(labels: Record<string, string>, name: string, value: string, losses: string[]): void {
  const key = asciiWords(name).slice(0, 32).replace(/-+$/, '')
  const text = value
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_LABEL_VALUE_CHARS)
  const tag = value === '' ? name : `${name}: ${value}`
  const before = Object.hasOwn(labels, key) ? labels[key] : undefined
  if (!labelKey.test(key)) losses.push(`The tag "${tag}" is lost: a label begins with a letter.`)
  else if (before !== undefined && before !== text) {
    losses.push(`The tag "${tag}" is lost: a label has one value, and ${key} is "${before}".`)
  } else if (Object.keys(labels).length >= MAX_LABELS && before === undefined) {
    losses.push(`The tag "${tag}" is lost: a monitor has at most ${MAX_LABELS} labels.`)
  } else labels[key] = text
}
