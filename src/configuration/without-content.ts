import { isObject } from '../lib/json.ts'

const MAX_CHARS = 200
/** An error lists no more. */
const MAX_NAMES = 100

/** A value that is refused by its type alone, or a short one. Texts are cut, lists and objects emptied. */
export function withoutContent(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_CHARS)
  return Array.isArray(value) ? [] : isObject(value) ? {} : value
}

/** An object with members that have no content of their own. */
export function outline(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = Object.entries(object).slice(0, MAX_NAMES)
  return Object.fromEntries(members.map(([name, value]) => [name.slice(0, MAX_CHARS), withoutContent(value)]))
}
