import { isTime } from '../../contract/patterns.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'
import { CommandError, UsageError } from '../command.ts'
import { readInput } from '../input.ts'
import { suggestWord } from '../suggest.ts'
import { isRecord, optionName, typedValue, typeOf } from './schema.ts'

/** The JSON value of an option. `field` is the name in the API, `now` what relative times refer to. */
export function parseValue(field: string, schema: JsonSchema, texts: readonly string[], now: number): unknown {
  const option = `--${optionName(field)}`
  if (isRecord(schema)) return parseRecord(option, texts)
  const { items } = schema
  if (isListOfScalars(schema) && items !== undefined) {
    const parts = isSplit(field, schema) ? texts.flatMap((text) => text.split(',').map((part) => part.trim())) : texts
    return parts.map((part) => parseScalar(option, items, part, now))
  }
  return parseScalar(option, schema, texts.at(-1) ?? '', now)
}

/** Whether the option is repeated, one item each. */
export function isListOfScalars(schema: JsonSchema): boolean {
  return typeOf(schema) === 'array' && !['object', 'array'].includes(typeOf(schema.items ?? { type: 'object' }))
}

/** Whether one text may have several items, with commas between them. */
export function isSplit(field: string, { items = {} }: JsonSchema): boolean {
  return items.enum !== undefined || ['integer', 'number'].includes(typeOf(items)) || field.endsWith('Ids')
}

function parseScalar(option: string, schema: JsonSchema, text: string, now: number): unknown {
  if (schema.enum !== undefined) return parseChoice(option, schema.enum, text)
  const type = typeOf(schema)
  if (type === 'integer' || type === 'number') {
    if (!/^-?\d{1,15}(\.\d{1,15})?$/.test(text) || (type === 'integer' && text.includes('.'))) {
      throw new UsageError(`${option} must be a${type === 'integer' ? ' whole' : ''} number, not "${text}"`)
    }
    return Number(text)
  }
  if (type === 'object' || type === 'array') return parseJson(option, text)
  return isTime(schema) ? parseTime(option, text, now) : text
}

function parseChoice(option: string, values: readonly unknown[], text: string): unknown {
  const plain = (value: unknown) => String(value).toLowerCase().replaceAll('_', '-')
  const choices = values.filter((value) => value !== null)
  const found = choices.find((value) => plain(value) === plain(text))
  if (found !== undefined) return found
  const names = choices.map(typedValue)
  const suggestion = suggestWord(text.toLowerCase(), names)
  const problem = `${option} must be one of ${names.join(', ')}, not "${text}"`
  throw new UsageError(problem, suggestion && `${option} ${suggestion}`)
}

/** JSON, whose values need not be texts, or one pair in each text. No name begins like JSON or a file. */
function parseRecord(option: string, texts: readonly string[]): unknown {
  const [only = '', ...others] = texts
  if (others.length === 0 && /^([{@]|-$)/.test(only)) return parseJson(option, only)
  return Object.fromEntries(texts.map((text) => parsePair(option, text)))
}

/** Header names and label keys contain neither of the separators. */
function parsePair(option: string, text: string): [string, string] {
  const [, name, value] = /^([^:=]+)[:=]\s*([\s\S]*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw new UsageError(`${option} must be a name and a value such as "Accept: text/html", or JSON, not "${text}"`)
  }
  return [name.trim(), value]
}

/** JSON, `@FILE`, or `-` for standard input. */
export function parseJson(option: string, text: string): unknown {
  const isFile = text === '-' || text.startsWith('@')
  const content = isFile ? readInput(text === '-' ? '-' : text.slice(1)) : text
  try {
    return JSON.parse(content)
  } catch (error) {
    const { message } = error as Error
    if (isFile) throw new CommandError(`${text === '-' ? 'Standard input' : text.slice(1)} is not JSON: ${message}`)
    throw new UsageError(`${option} must be JSON, @FILE or - for standard input: ${message}`)
  }
}

const unitsMs: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** `now`, `+2h`, `-1d`, a time with an offset, or a local time. */
export function parseTime(option: string, text: string, now: number): string {
  if (text === 'now') return new Date(now).toISOString()
  const [, sign, amount, unit = ''] = /^([+-])(\d{1,6})([smhd])$/.exec(text) ?? []
  if (sign !== undefined) {
    const spanMs = Number(amount) * (unitsMs[unit] ?? 0)
    return new Date(sign === '+' ? now + spanMs : now - spanMs).toISOString()
  }
  const [, date = ''] = /^(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.exec(text) ?? []
  const isWithOffset = /(Z|[+-]\d{2}:\d{2})$/.test(text) && text.includes(':')
  // A date alone is midnight here; without a time, Date would read it as UTC.
  const at = new Date(text.includes(':') ? text.replace(' ', 'T') : `${text}T00:00`)
  if (!isDate(date) || Number.isNaN(at.getTime())) {
    throw new UsageError(
      `${option} must be a time such as 2027-01-31T14:00, 2027-01-31T14:00Z, now or +2h, not "${text}"`,
    )
  }
  return isWithOffset ? text.replace(' ', 'T') : at.toISOString()
}

/** Date turns February 30 into March 2. */
function isDate(text: string): boolean {
  const at = new Date(`${text}T00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}
