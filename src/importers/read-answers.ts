import { isObject } from '../lib/json.ts'
import { type JsonObject, numberOf, objectIn, parsed, textOf } from './json-files.ts'
import { type SourceFile, WrongFileError } from './result.ts'

/** An object of an answer, with what it was recognised as. */
export interface Found<Kind extends string> {
  readonly kind: Kind
  readonly item: JsonObject
}

/** What an object is, by its fields; undefined if it is something around objects. */
type Classify<Kind extends string> = (item: JsonObject) => Kind | undefined

interface Answer {
  readonly name: string
  readonly value: unknown
}

/** Deep enough for answers by id: `{"500001": {"data": {…}}}`. */
const MAX_DEPTH = 4

/**
 * The objects in answers of an API: lists, pages of lists and single answers, in any order and any number of files. Adds a
 * sentence to `unreadable` for what cannot be read or is missing. Throws if there is nothing to import.
 */
export function readAnswers<Kind extends string>(
  files: readonly SourceFile[],
  classify: Classify<Kind>,
  unreadable: string[],
): readonly Found<Kind>[] {
  const pages = new Map<Kind, Pages>()
  const all = files.flatMap((file) => {
    const answer = readAnswer(file, unreadable)
    return answer === undefined ? [] : classified(answer, classify, pages, unreadable)
  })
  // An empty document would release what an earlier import created.
  if (all.length === 0) throw new WrongFileError(unreadable.join(' '))
  const found = withoutDuplicates(all)
  for (const [kind, { total, hasEnd }] of pages) {
    const count = found.filter((one) => one.kind === kind).length
    if (count < total)
      unreadable.push(`Only ${count} of ${total} entries of the kind ${kind} are in the files: pages are missing.`)
    else if (!hasEnd) unreadable.push(`The last page of the list of the kind ${kind} is missing.`)
  }
  return found
}

/** A list may have less of an object than the answer for the single object: the one with more fields counts. */
function withoutDuplicates<Kind extends string>(all: readonly Found<Kind>[]): readonly Found<Kind>[] {
  const byId = new Map<string, Found<Kind>>()
  for (const one of all) {
    const id = `${one.kind} ${textOf(one.item.id)}`
    const other = byId.get(id)
    if (other === undefined || Object.keys(other.item).length < Object.keys(one.item).length) byId.set(id, one)
  }
  return [...byId.values()]
}

/** What the pages of a list say about the whole list. */
interface Pages {
  readonly total: number
  readonly hasEnd: boolean
}

function classified<Kind extends string>(
  { name, value }: Answer,
  classify: Classify<Kind>,
  pages: Map<Kind, Pages>,
  unreadable: string[],
): Found<Kind>[] {
  const found: Found<Kind>[] = []
  let unknown: JsonObject | undefined
  let unknownCount = 0
  const visit = (one: unknown, depth: number, isListed: boolean): void => {
    if (depth > MAX_DEPTH) return
    if (Array.isArray(one)) {
      for (const element of one) visit(element, depth + 1, true)
      return
    }
    if (!isObject(one)) return
    const kind = classify(one)
    if (kind !== undefined) {
      found.push({ kind, item: one })
      return
    }
    const before = found.length
    for (const member of Object.values(one)) visit(member, depth + 1, false)
    if (!isListed || found.length > before) return
    unknown ??= one
    unknownCount += 1
  }
  visit(value, 0, false)
  if (unknown !== undefined) {
    unreadable.push(`${name}: ${unknownCount} entries have an unknown form, with the fields ${fieldsOf(unknown)}.`)
  } else if (found.length === 0) {
    unreadable.push(
      hasEmptyList(value) ? `${name} has no entries.` : `${name} is not a known answer: ${contentOf(value)}.`,
    )
  }
  const [first] = found
  if (first !== undefined && isObject(value)) {
    const known = pages.get(first.kind)
    const { total, hasEnd } = pageOf(value)
    pages.set(first.kind, { total: Math.max(total, known?.total ?? 0), hasEnd: hasEnd || known?.hasEnd === true })
  }
  return found
}

function pageOf(answer: JsonObject): Pages {
  const pagination = objectIn(answer.pagination)
  const total = numberOf(pagination.total ?? objectIn(answer.metadata).total_count ?? answer.total) ?? 0
  return { total, hasEnd: textOf(answer.nextLink ?? pagination.next) === '' }
}

function fieldsOf(item: JsonObject): string {
  return Object.keys(item).slice(0, 8).join(', ')
}

function contentOf(value: unknown): string {
  if (!isObject(value)) return 'it is neither a list nor an object'
  return Object.keys(value).length === 0 ? 'it is an empty object' : `it has the fields ${fieldsOf(value)}`
}

function hasEmptyList(value: unknown): boolean {
  return Array.isArray(value) || (isObject(value) && Object.values(value).some(Array.isArray))
}

function readAnswer({ name, bytes }: SourceFile, unreadable: string[]): Answer | undefined {
  const text = new TextDecoder().decode(bytes).trim()
  const whole = parsed(text)
  if (whole !== undefined) return { name, value: whole }
  if (!/^[[{]/.test(text)) {
    const what = text === '' ? 'It is empty.' : text.startsWith('<') ? 'It is a web page.' : ''
    unreadable.push(`${name} is not JSON. ${what}`.trim())
    return undefined
  }
  const value = completeEntries(text)
  unreadable.push(
    value === undefined
      ? `${name} is damaged, and nothing of it can be read.`
      : `${name} is damaged: only the entries before the damage are read.`,
  )
  return value === undefined ? undefined : { name, value }
}

/** The entries of a list that come before the place where the text ends or is damaged. */
function completeEntries(text: string): unknown {
  const open: string[] = []
  let end: { readonly length: number; readonly closing: string } | undefined
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i] as string
    if (character === '"') {
      i = endOfString(text, i)
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? '}' : ']')
    } else if (character === '}' || character === ']') {
      if (open.pop() !== character) break
      if (isAfterEntry(open)) end = { length: i + 1, closing: open.toReversed().join('') }
    }
  }
  return end && parsed(text.slice(0, end.length) + end.closing)
}

/** Whether what is open is only a list, or an object around a list or around answers by id. */
function isAfterEntry(open: readonly string[]): boolean {
  return open.length === 1 || (open.length === 2 && open[0] === '}' && open[1] === ']')
}

function endOfString(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1
  return i
}
