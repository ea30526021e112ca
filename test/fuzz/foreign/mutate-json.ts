import fc from 'fast-check'
import { type JsonText, json, junk } from '../values.ts'

/** A change of one value, or of one member, of a JSON text. */
interface Change {
  /** Which value: the number of values is counted from the outside to the inside, in order. */
  readonly at: number
  readonly how: (typeof ways)[number]
  readonly amount: number
  readonly odd: JsonText
  readonly name: string
}

const ways = [
  'replace',
  'other value',
  'repeat',
  'twice',
  'rename',
  'add',
  'wrap in lists',
  'wrap in objects',
  'lengthen',
  'insert characters',
  'remove',
] as const

const oddNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'length',
  '',
  '0',
  '-1',
  'a.b',
  '~1',
  '\0',
  '\ud800',
]

const extremes = ['0', '-1', '0.5', '1e-300', '1e11', '9007199254740993', '1.7e308', '1e309']

const oddValues: fc.Arbitrary<JsonText> = fc.oneof(
  junk,
  fc.constantFrom('1e308', '-1e308', '1e309', '1e-324', '9007199254740993', '-0', '0.1', '-1', '4294967296', '1e21'),
  fc.constantFrom(
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00x"',
    '"\\u001b[2J"',
    '"\\u202e"',
    '" "',
    '"__proto__"',
    '"\\uffff"',
  ),
  fc.constantFrom(
    '"9999-12-31T23:59:59Z"',
    '"0000-01-01"',
    '"+275760-09-13T00:00:00Z"',
    '"Etc/Nowhere"',
    '"* * * * *"',
  ),
  fc.constantFrom(
    '"http://[::1"',
    '"https://\\u0000/"',
    '"//"',
    '"javascript:0"',
    '"http://x:99999/"',
    '"$\u007bA}"',
    '"%"',
  ),
  // Texts that most fields accept.
  fc.constantFrom(
    '"é\u0301😀漢"',
    '"\u202eabc"',
    '"a\u200d"',
    '"<b>&amp;"',
    '"{{x}}"',
    '"=1+1"',
    '"x"',
    '"00"',
    '60',
    'true',
  ),
)

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom(...ways),
  amount: fc.oneof({ arbitrary: fc.integer({ min: 1, max: 40 }), weight: 4 }, fc.constantFrom(300, 3_000, 20_000)),
  odd: oddValues,
  name: fc.constantFrom(...oddNames),
})

/** So that repetitions within each other do not exceed the longest string. */
const MAX_CHARS = 1_500_000

/** The value as JSON with some changes: only a text can repeat a name, or have numbers beyond a double. */
export function mutatedJson(value: unknown): fc.Arbitrary<JsonText> {
  const changes = fc.oneof(fc.tuple(change), fc.array(change, { minLength: 2, maxLength: 4 }))
  return changes.map((some) => writeChanged(value, some))
}

/** The value as JSON with another number in some of its places. */
export function otherNumbers(value: unknown): fc.Arbitrary<JsonText> {
  return fc.tuple(fc.nat(), fc.constantFrom(1, 7, 50), fc.constantFrom(...extremes)).map(([start, step, extreme]) => {
    let place = start
    return json(value).replace(/(?<=[[,:])-?\d+(?=[\],}])/g, (number) => (place++ % step === 0 ? extreme : number))
  })
}

/** Any value from the inside of another one. */
function valuesIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [value]
  return [value, ...Object.values(value).flatMap(valuesIn)]
}

function writeChanged(whole: unknown, changes: readonly Change[]): JsonText {
  const all = valuesIn(whole)
  let next = 0
  const write = (value: unknown): JsonText => {
    const at = next++
    const text = writePlain(value)
    return changes.reduce((changed, one) => (one.at % all.length === at ? apply(one, changed) : changed), text)
  }
  const writePlain = (value: unknown): JsonText => {
    if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
    if (typeof value !== 'object' || value === null) return json(value)
    return `{${Object.entries(value)
      .map(([name, member]) => `${json(name)}:${write(member)}`)
      .join(',')}}`
  }
  const apply = ({ how, amount, odd, name }: Change, text: JsonText): JsonText => {
    const times = Math.max(1, Math.min(amount, Math.floor(MAX_CHARS / (Math.max(text.length, odd.length) + 10))))
    switch (how) {
      case 'replace':
        return odd
      case 'other value':
        return json(all[amount % all.length])
      case 'repeat':
        return `[${Array(times).fill(text).join(',')}]`
      case 'twice':
        return text.replace(/^\{("[^"]*"):/, (start, first) => `{${first}:${odd},${start.slice(1)}`)
      case 'rename':
        return text.replace(/^\{"[^"]*"/, () => `{${json(name)}`)
      case 'add':
        return text.startsWith('{') ? withMembers(text, membersNamed(name, odd, times)) : odd
      case 'wrap in lists':
        return '['.repeat(amount) + text + ']'.repeat(amount)
      case 'wrap in objects':
        return '{"a":'.repeat(amount) + text + '}'.repeat(amount)
      case 'lengthen':
        return text.startsWith('"') ? `"${text.slice(1, -1).repeat(times)}"` : text
      case 'insert characters':
        return text.startsWith('"') ? `"${odd.replaceAll(/["\\]/g, '').repeat(times)}${text.slice(1)}` : odd
      case 'remove':
        return 'null'
    }
  }
  return write(whole)
}

function membersNamed(name: string, value: JsonText, count: number): string {
  const most = Math.max(1, Math.min(count, Math.floor(MAX_CHARS / (value.length + 20))))
  return Array.from({ length: most }, (_, i) => `${json(i === 0 ? name : `${name}${i}`)}:${value}`).join(',')
}

function withMembers(object: JsonText, members: string): JsonText {
  return `{${members}${object === '{}' ? '' : ','}${object.slice(1)}`
}
