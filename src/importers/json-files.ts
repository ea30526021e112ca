import { isObject } from '../lib/json.ts'
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

/** The object, or an empty one where the file has something else. */
export function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {}
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

/** Without the members that are empty, for which the server has a default. */
export function withoutEmpty(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined))
}

/** A text, or an empty one where the file has something else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** A number, also one that is written as text. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  const text = textOf(value)
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined
}

export function byPosition(a: JsonObject, b: JsonObject): number {
  return (numberOf(a.position) ?? 0) - (numberOf(b.position) ?? 0)
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The texts of an object, such as headers. Some APIs send the object as JSON in a text. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  const given = typeof value === 'string' && value.trim().startsWith('{') ? parsed(value) : value
  if (!isObject(given)) return {}
  return Object.fromEntries(Object.entries(given).map(([name, text]) => [name, textOf(text)]))
}

/** Undefined if the text is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
