/**
 * Selectors choose monitors by their labels: `team=payments,env in (prod,staging),!legacy`. All conditions have to hold.
 *
 *   key=value            the label has this value (`==` is the same)
 *   key!=value           it has another value, or the monitor has no such label
 *   key in (a,b)         it has one of these values
 *   key notin (a,b)      it has none of these values, or the monitor has no such label
 *   key                  the monitor has the label, with any value
 *   !key                 the monitor does not have the label
 *
 * Values that are empty or contain a space or one of , ( ) = ! " \ are written in double quotes, with \" and \\ inside.
 */

export const labelKey = /^[a-z][a-z0-9_-]{0,31}$/
export const LABEL_KEY_RULE = 'a small letter, then up to 31 small letters, digits, _ or -'
export const MAX_LABEL_VALUE_CHARS = 63
/** Of a monitor. */
export const MAX_LABELS = 30

export const MAX_SELECTOR_CHARS = 1_000
const MAX_SELECTOR_TERMS = 20
const MAX_SELECTOR_VALUES = 50

/** The grammar as a regular expression, for documents. The scanner gives better errors. */
export const selectorPattern = (() => {
  const key = '[a-z][a-z0-9_-]{0,31}'
  const value = `(?:"(?:[^"\\\\]|\\\\["\\\\]){0,${MAX_LABEL_VALUE_CHARS}}"|[^\\s,()=!"\\\\]{1,${MAX_LABEL_VALUE_CHARS}})`
  const list = `\\(\\s*${value}(?:\\s*,\\s*${value})*\\s*\\)`
  const term = `(?:!\\s*${key}|${key}(?:\\s*(?:!=|==?)\\s*${value}|\\s+(?:in|notin)\\s*${list})?)`
  return `^\\s*${term}(?:\\s*,\\s*${term}){0,${MAX_SELECTOR_TERMS - 1}}\\s*$`
})()

export type Labels = Readonly<Record<string, string>>

export type Term =
  | { readonly key: string; readonly operator: 'in' | 'notin'; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: 'exists' | 'absent' }

export type Selector = readonly Term[]

/** A fault in the text of a selector. */
export class SelectorError extends Error {
  override name = 'SelectorError'
  /** The character where it is, from 1. */
  readonly position: number

  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

/** Throws a `SelectorError`. The terms are in the order of the text, without duplicates. */
export function parseSelector(text: string): Selector {
  if (text.length > MAX_SELECTOR_CHARS) {
    throw new SelectorError(`has ${text.length} characters; at most ${MAX_SELECTOR_CHARS} are allowed`, 1)
  }
  return parseTerms(text, MAX_SELECTOR_TERMS)
}

/** Conditions separated by commas. Throws a `SelectorError`. */
export function parseTerms(text: string, maxTerms: number): readonly Term[] {
  const scanner = new Scanner(text)
  const terms: Term[] = []
  if (scanner.isAtEnd()) throw scanner.fault('expected a condition such as team=payments')
  do {
    if (terms.length === maxTerms) throw scanner.fault(`has more than ${maxTerms} conditions`)
    terms.push(parseTerm(scanner))
  } while (scanner.accept(','))
  if (!scanner.isAtEnd()) throw scanner.unexpected('a comma or the end')
  return withoutDuplicates(terms)
}

function parseTerm(scanner: Scanner): Term {
  if (scanner.accept('!')) return { key: scanner.key(), operator: 'absent' }
  const key = scanner.key()
  if (scanner.accept('!=')) return { key, operator: 'notin', values: [scanner.value()] }
  if (scanner.accept('==') || scanner.accept('=')) return { key, operator: 'in', values: [scanner.value()] }
  if (scanner.isAtEnd() || scanner.isNext(',')) return { key, operator: 'exists' }
  const operator = scanner.word()
  if (operator !== 'in' && operator !== 'notin') {
    throw scanner.unexpected(`=, !=, in, notin or a comma after "${key}"`)
  }
  scanner.skip(operator.length)
  return { key, operator, values: parseList(scanner) }
}

function parseList(scanner: Scanner): readonly string[] {
  if (!scanner.accept('(')) throw scanner.unexpected('"(" and a list of values')
  const values = new Set<string>()
  do {
    values.add(scanner.value())
    if (values.size > MAX_SELECTOR_VALUES) throw scanner.fault(`has more than ${MAX_SELECTOR_VALUES} values in a list`)
  } while (scanner.accept(','))
  if (!scanner.accept(')')) throw scanner.unexpected('a comma or ")"')
  return [...values].sort()
}

function withoutDuplicates(terms: readonly Term[]): readonly Term[] {
  return [...new Map(terms.map((term) => [termText(term), term])).values()]
}

/** Ends a key, an operator and a value without quotes. */
const special = /[\s,()=!"\\]/u

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#skipSpace()
  }

  isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  isNext(symbol: string): boolean {
    return this.#text.startsWith(symbol, this.#at)
  }

  /** Skips the symbol, if it is next. */
  accept(symbol: string): boolean {
    if (!this.isNext(symbol)) return false
    this.skip(symbol.length)
    return true
  }

  skip(chars: number): void {
    this.#at += chars
    this.#skipSpace()
  }

  /** The characters up to the next special one. */
  word(): string {
    let end = this.#at
    while (end < this.#text.length && !special.test(this.#text.charAt(end))) end += 1
    return this.#text.slice(this.#at, end)
  }

  key(): string {
    const key = this.word()
    if (key === '') throw this.unexpected('a label key')
    if (!labelKey.test(key)) throw this.fault(`"${excerpt(key)}" is not a label key: use ${LABEL_KEY_RULE}`)
    this.skip(key.length)
    return key
  }

  value(): string {
    const start = this.#at
    const value = this.isNext('"') ? this.#quoted() : this.word()
    if (start === this.#at) {
      if (value === '') throw this.unexpected('a value, or "" for an empty one')
      this.skip(value.length)
    }
    if (lengthOf(value) > MAX_LABEL_VALUE_CHARS) {
      throw new SelectorError(`the value has more than ${MAX_LABEL_VALUE_CHARS} characters`, start + 1)
    }
    return value
  }

  #quoted(): string {
    const start = this.#at
    let value = ''
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const char = this.#text.charAt(at)
      if (char === '"') {
        this.skip(at + 1 - start)
        return value
      }
      if (char === '\\') {
        at += 1
        const escaped = this.#text.charAt(at)
        if (escaped !== '"' && escaped !== '\\') {
          throw new SelectorError('a backslash in quotes is followed by " or \\', at + 1)
        }
      }
      value += this.#text.charAt(at)
    }
    throw this.fault('the closing quote is missing')
  }

  unexpected(expected: string): SelectorError {
    if (this.isAtEnd()) return this.fault(`expected ${expected}, found the end`)
    return this.fault(`expected ${expected}, found "${excerpt(this.word() || this.#text.charAt(this.#at))}"`)
  }

  fault(message: string): SelectorError {
    return new SelectorError(message, this.#at + 1)
  }

  #skipSpace(): void {
    while (this.#at < this.#text.length && /\s/u.test(this.#text.charAt(this.#at))) this.#at += 1
  }
}

function excerpt(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`
}

/** In characters, as schemas count them, not in UTF-16 units. */
function lengthOf(text: string): number {
  return [...text].length
}

/** The selector in its canonical form: parsing it gives the same selector, and equal terms have equal texts. */
export function selectorText(selector: Selector): string {
  return selector.map(termText).join(',')
}

function termText(term: Term): string {
  const { key, operator } = term
  if (!('values' in term)) return operator === 'exists' ? key : `!${key}`
  const [only = '', ...others] = term.values
  if (others.length === 0) return `${key}${operator === 'in' ? '=' : '!='}${valueText(only)}`
  return `${key} ${operator} (${term.values.map(valueText).join(',')})`
}

function valueText(value: string): string {
  return value === '' || special.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value
}

/** Whether a monitor with these labels is selected. */
export function matchesSelector(selector: Selector, labels: Labels): boolean {
  return selector.every((term) => {
    const value = Object.hasOwn(labels, term.key) ? labels[term.key] : undefined
    if (!('values' in term)) return (value === undefined) === (term.operator === 'absent')
    const isListed = value !== undefined && term.values.includes(value)
    return isListed === (term.operator === 'in')
  })
}
