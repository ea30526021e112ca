import type { Static, TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import { Format } from 'typebox/format'
import { Compile } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { isObject } from '../lib/json.ts'
import { type Reason, reason } from '../reasons/reason.ts'
import { defaultsOf } from './defaults.ts'
import { type Fault, faultFor, joinPath, MAX_DETAILS } from './errors.ts'
import { patterns, timestampMs } from './patterns.ts'

/** TypeBox reports some faults twice: a wrong type also as a wrong enum value, an unknown field also in its object. */
Settings.Set({ maxErrors: 4 * MAX_DETAILS })

Format.Set('date-time', (text) => timestampMs(text) !== undefined)

export type ValidationResult<T> = { readonly value: T } | { readonly faults: readonly Fault[] }

/** Rules beyond the schema. Its faults in fields that the schema already refused are dropped. */
type Refine = (body: Readonly<Record<string, unknown>>) => readonly Fault[]

export type Validator<T> = (input: unknown) => ValidationResult<T>

/** Compiled at first use: compiling all schemas would take 40 ms of each start. */
const compiledSchemas = new WeakMap<TSchema, ReturnType<typeof compile>>()

/** The validator of one part of a request. `root` is the path of faults in the part itself, such as `body`. */
export function validator<S extends TSchema>(schema: S, root: string, refine?: Refine): Validator<Static<S>> {
  return (input) => {
    const { validator, fillDefaults } = compiledSchemas.getOrInsertComputed(schema, compile)
    const isValid = validator.Check(input)
    const examined = isValid ? input : shortened(input, schema, 0)
    const faults = isValid ? [] : schemaFaults(validator.Errors(examined)[1], examined, root)
    // The fault is in what was cut off.
    if (!isValid && faults.length === 0) return { faults: schemaFaults(validator.Errors(input)[1], input, root) }
    addNew(faults, textFaults(examined, root))
    if (refine !== undefined && isObject(examined)) addNew(faults, refine(examined))
    if (faults.length > 0) return { faults }
    return { value: (fillDefaults === undefined ? input : fillDefaults(input)) as Static<S> }
  }
}

function compile(schema: TSchema) {
  return { validator: Compile(schema), fillDefaults: defaultsOf(schema) }
}

/** Only the first fault of each field is reported. */
function addNew(faults: Fault[], found: readonly Fault[]): void {
  if (found.length === 0) return
  const known = new Set(faults.map((fault) => fault.path))
  for (const fault of found) if (!known.has(fault.path)) faults.push(fault)
}

/** More than any schema permits, so that what is cut is still refused. A character has up to two units. */
const MAX_ENTRIES = 1_000 + 1
const MAX_TEXT_UNITS = 2 * (100_000 + 1)

interface NestedSchema {
  readonly properties?: Readonly<Record<string, NestedSchema>>
  readonly items?: NestedSchema
}

/**
 * Refused input with its long texts, lists and objects cut; known fields stay. TypeBox examines every item of a list that is too long
 * already, which takes 60 ms for 20,000 items.
 */
function shortened(value: unknown, schema: NestedSchema | undefined, depth: number): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT_UNITS)
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) {
    return value.slice(0, MAX_ENTRIES).map((item) => shortened(item, schema?.items, depth + 1))
  }
  const known = schema?.properties ?? {}
  const fields = value as Readonly<Record<string, unknown>>
  const keys = Object.keys(fields)
  const beyond = keys.length > MAX_ENTRIES ? Object.keys(known).filter((key) => Object.hasOwn(fields, key)) : []
  return Object.fromEntries(
    [...keys.slice(0, MAX_ENTRIES), ...beyond].map((key) => [
      key,
      shortened(fields[key], Object.hasOwn(known, key) ? known[key] : undefined, depth + 1),
    ]),
  )
}

function schemaFaults(errors: readonly TLocalizedValidationError[], input: unknown, root: string): Fault[] {
  const faults = new Map<string, Fault>()
  // Only the first fault of each field: a wrong type would also be reported as a wrong enum value.
  const add = (path: string, message: Reason | string): void => {
    if (!faults.has(path)) faults.set(path, typeof message === 'string' ? { path, message } : faultFor(path, message))
  }
  for (const error of errors) {
    const path = dotted(error.instancePath)
    switch (error.keyword) {
      case 'required':
        for (const name of error.params.requiredProperties) add(joinPath(path, name), reason('required'))
        break
      // TypeBox also reports each unknown field as a `boolean` error.
      case 'additionalProperties':
        break
      default:
        add(path === '' ? root : path, messageOf(error, input))
    }
  }
  return [...faults.values()]
}

function messageOf(error: TLocalizedValidationError, input: unknown): Reason | string {
  const params = error.params as Record<string, unknown>
  const limit = params.limit as number
  switch (error.keyword) {
    case 'boolean':
      return reason('unknown_field')
    case 'type':
      return reason('wrong_type', { types: [params.type].flat().map(article).join(' or ') })
    case 'enum':
      return reason('not_one_of', { names: (params.allowedValues as unknown[]).map(String) })
    case 'minimum':
      return reason('too_small', { least: limit })
    case 'maximum':
      return reason('too_large', { most: limit })
    case 'minLength':
      return limit === 1 ? reason('empty') : reason('too_short', { least: limit })
    case 'maxLength':
      return reason('too_long', { most: limit })
    case 'format':
      return reason('not_a_time')
    case 'pattern':
      return String(params.pattern) === patterns.singleLine ? reason('control_characters') : error.message
    case 'minItems':
      return reason('too_few_items', { count: limit })
    case 'maxItems':
      return reason('too_many_items', { most: limit })
    case 'maxProperties':
      return reason('too_many_entries', { most: limit })
    default:
      return input === undefined ? reason('required') : error.message
  }
}

const articles: Record<string, string> = { integer: 'an integer', object: 'an object', array: 'an array', null: 'null' }

function article(type: unknown): string {
  return articles[String(type)] ?? `a ${type}`
}

/**
 * Refuses text that PostgreSQL cannot store (NUL) or that would change when stored (lone surrogates), on both engines.
 */
function textFaults(input: unknown, root: string): Fault[] {
  const faults: Fault[] = []
  const check = (text: string, path: string): boolean => {
    const why = textFault(text)
    if (why !== undefined) faults.push(faultFor(path === '' ? root : path, why))
    return why !== undefined
  }
  const walk = (value: unknown, path: string, depth: number): void => {
    if (typeof value === 'string') check(value, path)
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return
    for (const key in value) {
      if (faults.length > MAX_DETAILS) return
      const at = joinPath(path, key)
      if (!check(key, at)) walk((value as Record<string, unknown>)[key], at, depth + 1)
    }
  }
  walk(input, '', 0)
  return faults
}

/** Deeper than any schema; the schema refuses the field that contains deeper values. */
const MAX_DEPTH = 10

function textFault(text: string): Reason | undefined {
  if (text.includes('\0')) return reason('nul_character')
  return text.isWellFormed() ? undefined : reason('not_unicode')
}

/** `/expectedStatus/3` becomes `expectedStatus.3`. */
function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(joinPath, '')
}
