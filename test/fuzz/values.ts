import fc from 'fast-check'
import { anyCharacter } from '../support/any-character.ts'
import type { Schema } from './schema.ts'

/** JSON as text: only text can repeat a key, contain __proto__ or have numbers beyond a double. */
export type JsonText = string

const fancy = ['é', '\u0301', '\u200d', '😀', '漢', '\u202e', '\ufeff', '\u2028', '\n', '\x7f', '\x01', '"', '\\', '<']
const character = fc.oneof(
  { arbitrary: fc.constantFrom(...'abcXYZ019 -_.:'), weight: 6 },
  { arbitrary: fc.constantFrom(...fancy), weight: 2 },
  { arbitrary: anyCharacter.filter((c) => c !== '\0'), weight: 1 },
)

export const json = (value: unknown): JsonText => JSON.stringify(value)
export const one = (...values: readonly unknown[]): fc.Arbitrary<JsonText> => fc.constantFrom(...values.map(json))

/** Text within the length bounds in code points, often exactly at a bound. */
function soundText({ minLength = 0, maxLength = 40, pattern = '' }: Schema): fc.Arbitrary<JsonText> {
  const unit = character.filter((c) => new RegExp(pattern).test(c))
  const short = fc.string({ unit, minLength, maxLength: Math.min(maxLength, minLength + 20) })
  const exactly = (length: number) => fc.constantFrom('x', '😀', 'é').map((c) => c.repeat(length))
  return fc
    .oneof(
      { arbitrary: short, weight: 100 },
      { arbitrary: exactly(minLength), weight: 8 },
      { arbitrary: exactly(maxLength), weight: maxLength > 5_000 ? 1 : 8 },
    )
    .map(json)
}

function soundInteger({ minimum = -1_000, maximum = 1_000 }: Schema): fc.Arbitrary<JsonText> {
  const within = fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum))
  // The same number in another notation.
  return fc.tuple(within, fc.constantFrom('', '', '', '.0', 'e0', 'E+0')).map(([number, tail]) => `${number}${tail}`)
}

/** JSON that matches its schema. `instead` replaces the arbitrary of a property and makes it required. */
export function validJson(schema: Schema, instead: Readonly<Record<string, fc.Arbitrary<JsonText>>> = {}) {
  return plainOrBroken(schema, 0, instead)
}

/** JSON that mostly matches its schema, with some violations. */
export function mostlyValidJson(schema: Schema): fc.Arbitrary<JsonText> {
  return plainOrBroken(schema, 2)
}

function plainOrBroken(
  schema: Schema,
  breaks: number,
  instead: Readonly<Record<string, fc.Arbitrary<JsonText>>> = {},
): fc.Arbitrary<JsonText> {
  if (schema.enum !== undefined) return maybe(breaks, fc.constantFrom(...schema.enum).map(json), miscast(schema.enum))
  const types = [schema.type ?? []].flat()
  const ways = types.map((type): fc.Arbitrary<JsonText> => {
    if (type === 'string') return maybe(breaks, soundText(schema), brokenText(schema))
    if (type === 'integer') return maybe(breaks, soundInteger(schema), brokenInteger(schema))
    if (type === 'boolean') return maybe(breaks, fc.constantFrom('true', 'false'), junk)
    if (type === 'array') return list(schema, breaks)
    if (type === 'object') return object(schema, breaks, instead)
    return fc.constant('null')
  })
  // A schema without a type permits everything.
  return ways.length === 0 ? junk : fc.oneof(...ways)
}

function maybe(breaks: number, whole: fc.Arbitrary<JsonText>, broken: fc.Arbitrary<JsonText>): fc.Arbitrary<JsonText> {
  return breaks === 0 ? whole : fc.oneof({ arbitrary: whole, weight: 20 }, { arbitrary: broken, weight: breaks })
}

/** Values that are invalid everywhere. */
export const junk: fc.Arbitrary<JsonText> = fc.oneof(
  fc.constantFrom('null', 'true', '0', '-0', '""', '[]', '{}', '1e999', '-1E400', '0.1', '5e-324', '[[[[]]]]'),
  fc.constantFrom('9007199254740993', '123456789012345678901234567890', '"\\ud800"', '"\\udfff\\ud800"', '"\\u0000"'),
  fc.constantFrom('{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{}}}', '{"a":1,"a":2}', '"5"'),
  fc.constantFrom(500, 5_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.constantFrom(500, 5_000).map((depth) => '{"a":'.repeat(depth) + 1 + '}'.repeat(depth)),
  fc.json(),
)

function miscast(values: readonly unknown[]): fc.Arbitrary<JsonText> {
  const near = fc.constantFrom(...values).map((value) => json(`${value} `))
  return fc.oneof(
    junk,
    near,
    fc.constantFrom(...values).map((value) => json(String(value).toLowerCase())),
  )
}

function brokenText({ minLength = 0, maxLength }: Schema): fc.Arbitrary<JsonText> {
  const tooLong = fc.constantFrom('x', '😀').map((c) => json(c.repeat((maxLength ?? 50) + 1)))
  const spoiled = fc.constantFrom('a\0b', '\0', 'a\u001b[2Jb', 'a\ud800b', '\udc00', '\ud800\ud800').map(json)
  return fc.oneof(junk, spoiled, tooLong, minLength > 0 ? fc.constant('""') : spoiled)
}

function brokenInteger({ minimum = 0, maximum = 0 }: Schema): fc.Arbitrary<JsonText> {
  const beside = fc.constantFrom(minimum - 1, maximum + 1, minimum + 0.5, -minimum - 1, maximum * 1e6, 2 ** 53)
  return fc.oneof(beside.map(json), beside.map(String).map(json), junk)
}

function list(schema: Schema, breaks: number): fc.Arbitrary<JsonText> {
  const { items = {}, minItems = 0, maxItems = 10 } = schema
  const item = plainOrBroken(items, breaks)
  const few = fc.array(item, { minLength: minItems, maxLength: Math.min(maxItems, minItems + 5) })
  const atBound = item.map((one) => repeated(one, maxItems))
  const overBound = item.map((one) => repeated(one, maxItems + 1))
  const whole = fc.oneof({ arbitrary: few, weight: 8 }, { arbitrary: atBound, weight: 1 })
  const broken = fc.oneof({ arbitrary: overBound, weight: 1 }, { arbitrary: fc.constant([]), weight: 1 })
  const members = breaks === 0 ? whole : fc.oneof({ arbitrary: whole, weight: 10 }, { arbitrary: broken, weight: 1 })
  return maybe(
    breaks,
    members.map((texts) => `[${texts.join(',')}]`),
    junk,
  )
}

/** Twice the body limit: nested lists at their bounds would exceed the longest string. */
const LONGEST = 2 * 1024 * 1024

function repeated(item: JsonText, count: number): JsonText[] {
  return new Array<JsonText>(Math.min(count, Math.max(1, Math.floor(LONGEST / item.length)))).fill(item)
}

type Entry = readonly [name: string, value: JsonText]

const oddNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'a.b',
  'a/b',
  '~1',
  'é',
  '\0',
  'x-trace',
]

function object(
  schema: Schema,
  breaks: number,
  instead: Readonly<Record<string, fc.Arbitrary<JsonText>>>,
): fc.Arbitrary<JsonText> {
  const { properties = {}, required = [], additionalProperties } = schema
  const known = Object.entries(properties).map(([name, property]) => {
    const value = instead[name] ?? plainOrBroken(property, breaks)
    const entry = value.map((text): readonly Entry[] => [[name, text]])
    if (breaks === 0 && (required.includes(name) || name in instead)) return entry
    const left = fc.constant<readonly Entry[]>([])
    return fc.oneof({ arbitrary: entry, weight: required.includes(name) ? 12 : 2 }, { arbitrary: left, weight: 1 })
  })
  const more = additionalProperties === false || additionalProperties === undefined ? undefined : additionalProperties
  const name = fc.oneof(fc.constantFrom(...oddNames), fc.string({ unit: character, maxLength: 8 }))
  const strange = fc.tuple(name, more === undefined ? junk : plainOrBroken(more, breaks))
  const most = more !== undefined ? 4 : breaks === 0 ? 0 : 1
  const strangers = fc.array(strange, { maxLength: most, size: 'max' })
  const members = fc.tuple(strangers, ...known).map((groups) => objectText(groups.flat() as Entry[]))
  return maybe(breaks, members, junk)
}

function objectText(entries: readonly Entry[]): JsonText {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
}

const headerToken = fc.string({ unit: fc.constantFrom(..."aZ0!#$%&'*+-.^_`|~"), minLength: 1, maxLength: 12 })
const headerWord = fc.string({ unit: fc.constantFrom(...'aZ0 \t"\\;,=\xe9\xff'), maxLength: 12 })

/** Request headers that a client could send. */
export const validHeaders: fc.Arbitrary<JsonText> = fc.oneof(
  fc.constant('null'),
  fc
    .array(fc.tuple(fc.oneof(headerToken, fc.constantFrom('__proto__', 'constructor')), headerWord.map(json)), {
      maxLength: 4,
    })
    .map(objectText),
)

/** JSON text with a random change that breaks it. */
export function brokenJson(whole: fc.Arbitrary<JsonText>): fc.Arbitrary<string> {
  return fc
    .tuple(whole, fc.nat(), fc.constantFrom('', ',', '}', '"', '\\', '\ufeff', '\0', '//', 'NaN', '\x80'))
    .map(
      ([text, at, with_]) => text.slice(0, at % (text.length + 1)) + with_ + text.slice((at % (text.length + 1)) + 1),
    )
}
