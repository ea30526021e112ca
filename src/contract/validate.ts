import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Format } from 'typebox/format'
import { Settings } from 'typebox/system'
import Value from 'typebox/value'
import type { Fault } from './errors.ts'

/** Every fault is reported, up to a bound that keeps an answer smaller than what provoked it. */
const MOST_FAULTS = 1_000
Settings.Set({ maxErrors: MOST_FAULTS })

// The contract's: an offset or Z, seconds optional, and a moment that there is.
Format.Set('date-time', (text) => {
  const form = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/
  if (!form.test(text)) return false
  try {
    Temporal.Instant.from(text)
    return true
  } catch {
    return false
  }
})

export type ValidationResult<T> = { readonly value: T } | { readonly faults: readonly Fault[] }

/** Rules beyond the schema. It sees the body as it came; a fault of a field the schema already refused is dropped. */
export type Refine = (body: Readonly<Record<string, unknown>>) => readonly Fault[]

export type Validator<T> = (input: unknown) => ValidationResult<T>

/** Makes the judge of one part of a request (`root` names the part itself in a fault: `body`). */
export function validator<S extends TSchema>(schema: S, root: string, refine?: Refine): Validator<Static<S>> {
  const compiled = Compile(schema)
  const defaults = hasDefaults(schema)
  return (input) => {
    const faults = compiled.Check(input) ? [] : schemaFaults(compiled.Errors(input), input, root)
    addNew(faults, textFaults(input, root))
    if (refine !== undefined && isObject(input)) addNew(faults, refine(input))
    if (faults.length > 0) return { faults: faults.slice(0, MOST_FAULTS) }
    return { value: (defaults ? Value.Default(schema, input) : input) as Static<S> }
  }
}

/** One fault a field: the first that was found of it is the one to tell. */
function addNew(faults: Fault[], found: readonly Fault[]): void {
  if (found.length === 0) return
  const known = new Set(faults.map((fault) => fault.path))
  for (const fault of found) if (!known.has(fault.path)) faults.push(fault)
}

function schemaFaults(errors: readonly TLocalizedValidationError[], input: unknown, root: string): Fault[] {
  const faults = new Map<string, Fault>()
  // The first fault of a field is the one to tell: what is no text is none of the permitted texts either.
  const tell = (path: string, message: string): void => {
    if (!faults.has(path)) faults.set(path, { path, message })
  }
  for (const error of errors) {
    const path = dotted(error.instancePath)
    switch (error.keyword) {
      case 'required':
        for (const name of error.params.requiredProperties) tell(join(path, name), 'is required')
        break
      // The unknown fields themselves come as one `boolean` error each.
      case 'additionalProperties':
        break
      default:
        tell(path === '' ? root : path, wording(error, input))
    }
  }
  return [...faults.values()]
}

function wording(error: TLocalizedValidationError, input: unknown): string {
  const params = error.params as Record<string, unknown>
  const limit = params.limit as number
  switch (error.keyword) {
    case 'boolean':
      return 'is not a known field'
    case 'type':
      return `must be ${[params.type].flat().map(article).join(' or ')}`
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'format':
      return 'must be an ISO 8601 date and time with Z or an offset'
    case 'minItems':
      return `must have at least ${limit} item${limit === 1 ? '' : 's'}`
    case 'maxItems':
      return `must have at most ${limit} items`
    default:
      return input === undefined ? 'is required' : error.message
  }
}

const articles: Record<string, string> = { integer: 'an integer', object: 'an object', array: 'an array', null: 'null' }

function article(type: unknown): string {
  return articles[String(type)] ?? `a ${type}`
}

/**
 * Text that PostgreSQL cannot store (NUL) or that would come back as something else (a lone surrogate) is refused on
 * both engines alike.
 */
function textFaults(input: unknown, root: string): Fault[] {
  const faults: Fault[] = []
  const tell = (text: string, path: string): boolean => {
    const message = textFault(text)
    if (message !== undefined) faults.push({ path: path === '' ? root : path, message })
    return message !== undefined
  }
  const walk = (value: unknown, path: string, depth: number): void => {
    if (typeof value === 'string') tell(value, path)
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return
    for (const key in value) {
      if (faults.length >= MOST_FAULTS) return
      const at = join(path, key)
      if (!tell(key, at)) walk((value as Record<string, unknown>)[key], at, depth + 1)
    }
  }
  walk(input, '', 0)
  return faults
}

/** No schema of ours goes so deep: what lies deeper is refused with the field it lies in. */
const DEEPEST = 10

function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the NUL character'
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode'
}

/** `/expectedStatus/3` becomes `expectedStatus.3`. */
function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasDefaults(schema: TSchema): boolean {
  return JSON.stringify(schema).includes('"default":')
}
