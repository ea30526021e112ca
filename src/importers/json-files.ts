import { isObject } from '../contract/validate.ts'
import { type SourceFile, WrongFileError } from './result.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** The JSON object of a file, such as the answer of an API. */
export function readJson({ name, bytes }: SourceFile): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new WrongFileError(`${name} is not JSON`)
  }
  if (!isObject(value)) throw new WrongFileError(`${name} has no JSON object`)
  return value
}

/** The objects of a list. What is something else is left out. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** The field with the text, if there is one. */
export function given(name: string, value: unknown): Readonly<Record<string, string>> {
  const text = textOf(value)
  return text === '' ? {} : { [name]: text }
}

/** A text, or an empty one where the file has something else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}
