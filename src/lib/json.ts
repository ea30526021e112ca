import { MAX_FOREIGN_CHARS } from './foreign-work.ts'

/** JSON with sorted keys: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  let members = ''
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key]
    if (member !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${members}}`
}

declare const type: unique symbol

/** A text, or its parts in order: joining the parts of a large text would copy it. */
export type TextParts = string | readonly string[]

/** The JSON text of a T. It is sent as it is, without parsing. */
export class Json<T> {
  declare readonly [type]: T
  readonly source: TextParts
  constructor(source: TextParts) {
    this.source = source
  }

  get text(): string {
    return typeof this.source === 'string' ? this.source : this.source.join('')
  }
}

/** JSON in which the characters that could control a terminal are escaped. JSON.stringify escapes only those below U+0020. */
export function cleanJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses JSON that this server wrote. What it contains of others was bounded before it was stored. */
// biome-ignore lint/suspicious/noExplicitAny: like JSON.parse
export function parseStored(text: string): any {
  return JSON.parse(text)
}

/** Parses a short text of others on the main thread. Longer ones are read in a thread (foreign-work.ts). */
export function parseShort(text: string): unknown {
  if (text.length > MAX_FOREIGN_CHARS) throw new SyntaxError('The text is too long to be parsed here')
  return JSON.parse(text)
}
