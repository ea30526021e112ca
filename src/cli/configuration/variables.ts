import { mapTexts } from '../../lib/variables.ts'
import type { Environment } from '../../server/config/read-files.ts'
import type { Change } from './describe-plan.ts'

type Values = Readonly<Record<string, unknown>>

/** The environment variables whose values a document has. They may be secrets, and plans are posted as comments. */
export interface UsedVariables {
  readonly values: ReadonlyMap<string, string>
  /** The document with `(NAME)` in place of each value. */
  readonly shown: Values
}

/** Why a document cannot have the value of a variable; undefined if it can. */
export function variableFault(name: string, environment: Environment): string | undefined {
  // Names of Windows have no case.
  if (/^pharos_/i.test(name)) return `${name} is a setting of Pharos: use a variable with another name`
  return environment[name] === undefined ? `${name} is not set` : undefined
}

export interface Mask {
  changes<T extends Change>(changes: readonly T[]): T[]
  /** An error of the server about the document, or about the value at the path in it. */
  message(text: string, path?: string): string
}

/** Replaces the values of variables in what the server answers about a document. */
export function createMask(document: Values, { values, shown }: UsedVariables): Mask {
  const variableTexts = [...textsOf(document, shown)].filter(isFromVariable)
  const byResource = Map.groupBy(variableTexts, ({ path }) => path.split('.', 2).join('.'))
  /** So long that another text does not have them by chance. */
  const long = [...values].filter(([, value]) => value.length >= MIN_LONG_CHARS)

  function hideLong(text: string): string {
    return long.reduce((hidden, [name, value]) => hidden.replaceAll(value, () => `(${name})`), text)
  }

  function hideIn<T extends Change>(change: T): T {
    const { kind, key, fields, warning } = change
    const places = [`${kind}.${key}`, `defaults.${kind}`]
    const used = places.flatMap((place) => {
      return (byResource.get(place) ?? []).map(({ path }) => path.slice(place.length + 1))
    })
    const known = used.length > 0 ? knownTexts(document, shown, places) : new Map()
    /** Of a field with variables: what the server has changed, and what is stored, may be the value, too, or an earlier one. */
    const hideUnknown = (text: string) => known.get(text) ?? UNKNOWN_TEXT
    return {
      ...change,
      fields: fields.map((field) => {
        const hide = used.some((path) => isWithin(path, field.path)) ? hideUnknown : hideLong
        return { ...field, before: mapTexts(field.before, hide), after: mapTexts(field.after, hide) }
      }),
      ...(warning !== undefined && { warning: hideLong(warning) }),
    }
  }

  return {
    changes: (changes) => changes.map((change) => hideIn(change)),
    message(text, path) {
      const here = variableTexts.filter((one) => path !== undefined && isWithin(one.path, path))
      const isHere = (name: string) => here.some((one) => one.shown.includes(`(${name})`))
      const hidden = [...values].filter(([name, value]) => value.length >= MIN_LONG_CHARS || isHere(name))
      return hidden.reduce((rest, [name, value]) => withoutParts(rest, value, `(${name})`), text)
    },
  }
}

const MIN_LONG_CHARS = 8
const UNKNOWN_TEXT = '(hidden)'
/** What the server shows in place of a secret. */
const SECRET = '(secret)'

interface Text {
  /** Dotted. */
  readonly path: string
  readonly text: string
  readonly shown: string
}

function isFromVariable({ text, shown }: Text): boolean {
  return text !== shown
}

/** The texts of a value, with those of the value that is shown in its place. */
function* textsOf(value: unknown, shown: unknown, path = ''): Generator<Text> {
  if (typeof value === 'string') yield { path, text: value, shown: String(shown) }
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    yield* textsOf(member, (shown as Values)[name], path === '' ? name : `${path}.${name}`)
  }
}

/** How each text that the files have for a resource is shown. */
function knownTexts(document: Values, shown: Values, places: readonly string[]): ReadonlyMap<string, string> {
  const found = places.flatMap((place) => [...textsOf(memberAt(document, place), memberAt(shown, place))])
  // A text that is in the files, and the value of a variable as well, is shown as the variable.
  const ordered = [...found.filter((one) => !isFromVariable(one)), ...found.filter(isFromVariable)]
  return new Map([[SECRET, SECRET], ...ordered.map((one) => [one.text, one.shown] as const)])
}

function memberAt(document: Values, place: string): unknown {
  const [first = '', second = ''] = place.split('.')
  return (document[first] as Values | undefined)?.[second]
}

/** Whether one of two paths is inside of the other, or both are the same. */
function isWithin(a: string, b: string): boolean {
  return `${a}.`.startsWith(`${b}.`) || `${b}.`.startsWith(`${a}.`)
}

/** A message may quote a part of a value only, such as its beginning. */
const MIN_PART_CHARS = 6

/** Replaces the value in the text, and parts of it. */
function withoutParts(text: string, value: string, replacement: string): string {
  const least = Math.max(1, Math.min(value.length, MIN_PART_CHARS))
  let result = ''
  for (let at = 0; at < text.length; ) {
    let end = at
    while (end < text.length && value.includes(text.slice(at, end + 1))) end += 1
    const isPart = end - at >= least
    result += isPart ? replacement : text[at]
    at = isPart ? end : at + 1
  }
  return result
}
