/** A part of an answer that does not have the documented form, as a sentence about the object. */
export class Malformed extends Error {
  override name = 'Malformed'
}

export type Fields = Readonly<Record<string, unknown>>

/** No name, host or path that can be used is longer. */
const MAX_CHARS = 2_048

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

export function objectIn(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Malformed(`${what} is not an object`)
  return value as Fields
}

export function textIn(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new Malformed(`${what} is not a text`)
  if (value.length > MAX_CHARS) throw new Malformed(`${what} is longer than ${MAX_CHARS} characters`)
  return value
}

export function optionalText(value: unknown, what: string): string | undefined {
  return isAbsent(value) ? undefined : textIn(value, what)
}

export function portIn(value: unknown, what: string): number {
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535) return Number(value)
  throw new Malformed(`${what} is not a port`)
}

/** Undefined if it is absent. */
export function optionalList<T>(value: unknown, what: string, read: (one: unknown) => T): readonly T[] | undefined {
  if (isAbsent(value)) return undefined
  if (!Array.isArray(value)) throw new Malformed(`${what} is not a list`)
  return value.map(read)
}

/** Labels or annotations: those that begin with the prefix. Their texts are checked where they are read. */
export function textsIn(value: unknown, prefix: string, what: string): Readonly<Record<string, string>> {
  if (isAbsent(value)) return {}
  const texts = Object.entries(objectIn(value, what)).filter(([name]) => name.startsWith(prefix))
  for (const [name, text] of texts) if (typeof text !== 'string') throw new Malformed(`${what}.${name} is not a text`)
  return Object.fromEntries(texts) as Readonly<Record<string, string>>
}
