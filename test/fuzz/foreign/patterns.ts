import fc from 'fast-check'
import { mutatedText, someBytes } from '../attacks.ts'

/** Expressions of one request. */
export interface PatternCase {
  readonly to: 'assertions' | 'paths' | 'dialogue' | 'plan'
  readonly expressions: readonly string[]
}

/** Of what stands between the slashes of a dialogue. Assertions permit two more. */
export const MAX_PATTERN_CHARS = 998
export const MAX_PATH_CHARS = 500

const character = fc.constantFrom(...'abcxyzAZ09 -_é漢😀', '\\.', '\\x41', '\\x{10FFFF}', '\\Q.*\\E', '\\n')
const named = fc.constantFrom('\\d', '\\W', '\\s', '\\pL', '\\PN', '\\p{Greek}', '\\p{^Lu}', '[[:alpha:]]', '[^a]', '.')
const range = fc
  .tuple(fc.constantFrom('a', '!', 'A', '0', 'é'), fc.constantFrom('z', '漢', '\\x{10FFFF}', 'é', '\u8000'))
  .map(([from, to]) => `[${from}-${to}]`)
const place = fc.constantFrom('^', '$', '\\A', '\\z', '\\b', '\\B')
const count = fc.oneof(fc.constantFrom(0, 1, 2, 30, 999, 1_000), fc.nat({ max: 1_000 }))
const repetition = fc.oneof(
  fc.constantFrom('*', '+', '?', '*?', '+?', '{2,}'),
  count.map((n) => `{${n}}`),
  count.map((n) => `{${n},}`),
  fc.tuple(count, count).map((pair) => `{${Math.min(...pair)},${Math.max(...pair)}}`),
)
const opening = fc.constantFrom('(', '(?:', '(?i:', '(?s:', '(?mU:', '(?-i:')

/** Valid, but for repetitions within each other. */
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    { arbitrary: fc.oneof(character, named, range, place), weight: 3 },
    {
      arbitrary: fc.tuple(fc.oneof(character, named, range), repetition).map(([one, times]) => one + times),
      weight: 4,
    },
    {
      arbitrary: fc
        .tuple(opening, tie('pattern'), repetition)
        .map(([open, inner, times]) => `${open}${inner})${times}`),
      weight: 3,
    },
    { arbitrary: fc.tuple(tie('part'), tie('part')).map(([a, b]) => `(?:${a}|${b}|)`), weight: 2 },
  ),
  pattern: fc.array(tie('part'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
}))

/** So often that it fills what a pattern may have. */
const filled = fc
  .tuple(fc.constantFrom('', '', '(?i)', '^', '(?s)'), pattern, fc.constantFrom('', '', '|'))
  .map(([before, part, between]) => before + (part + between).repeat((MAX_PATTERN_CHARS - 4) / (part + between).length))

/** Groups within each other. */
const nested = fc
  .tuple(opening, pattern, fc.constantFrom(')', ')*', '|b)', '){2}', '){3}'), fc.integer({ min: 1, max: 100 }))
  .map(([open, inner, close, depth]) => open.repeat(depth) + inner + close.repeat(depth))

const sound = fc.oneof(
  { arbitrary: pattern, weight: 3 },
  { arbitrary: filled, weight: 4 },
  { arbitrary: nested, weight: 2 },
)
const anyPattern = fc
  .oneof(
    { arbitrary: sound, weight: 10 },
    { arbitrary: sound.chain((text) => mutatedText([text])), weight: 1 },
    { arbitrary: someBytes(200), weight: 1 },
    fc.constantFrom(
      '(?=a)',
      '(?P<',
      '[',
      '\\',
      'a**',
      'a{1001}',
      '(?<n>a)(?<n>b)',
      '\\pQ',
      '\\C',
      '[[:x:]]',
      '{',
      '\0',
    ),
  )
  .map((text) => text.slice(0, MAX_PATTERN_CHARS))

const selector = fc.constantFrom(
  ...['.a', '..a', '.*', '..*', '[*]', '[0]', '[-1]', '[::2]', '[::-1]', "['a']", '["é"]', "['a','b',0,*]", '.😀'],
)
const operand = fc.oneof(
  fc.constantFrom('@.a', '$.a', '1', '-0', '1e308', 'null', 'true', '"x"', 'length(@)', 'count($..*)', 'value(@..a)'),
)
const quoted = sound.map((text) => JSON.stringify(text.slice(0, 300)))
const test = fc.oneof(
  fc.tuple(operand, fc.constantFrom('==', '!=', '<', '>='), operand).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom('search(@.a,', 'match(@,'), quoted).map(([start, text]) => `${start}${text})`),
  fc.constantFrom('@.a', '!@..b', '$[?@.x]'),
)
const filter = fc
  .array(fc.tuple(test, fc.constantFrom('&&', '||', '&&!')), { minLength: 1, maxLength: 12 })
  .map((tests) => `[?${tests.map((pair, i) => (i === tests.length - 1 ? pair[0] : pair.join(''))).join('')}]`)
const soundPath = fc
  .tuple(fc.array(fc.oneof(selector, filter), { minLength: 1, maxLength: 8 }), fc.constantFrom(1, 1, 1, 50))
  .map(([parts, times]) => `$${parts.join('').repeat(times)}`)
const deepPath = fc
  .tuple(
    fc.constantFrom('[?@', '[?(', '[?!(', '[?count(@', '[?@.a[?'),
    fc.constantFrom(']', ')]', '==1]'),
    fc.nat({ max: 200 }),
  )
  .map(([open, close, depth]) => `$${open.repeat(depth)}${close.repeat(depth)}`)
const path = fc
  .oneof(
    { arbitrary: soundPath, weight: 8 },
    { arbitrary: soundPath.chain((text) => mutatedText([text])), weight: 1 },
    { arbitrary: deepPath, weight: 1 },
    fc.constantFrom(
      '',
      '@',
      '$$',
      '$[9007199254740993]',
      '$[1:99999999999]',
      '$.length()',
      '$[?nothing(@)]',
      '$[',
      '$\0',
    ),
  )
  .map((text) => text.slice(0, MAX_PATH_CHARS))

const casesOf = (
  to: PatternCase['to'],
  expression: fc.Arbitrary<string>,
  maxLength: number,
): fc.Arbitrary<PatternCase> =>
  fc.record({ to: fc.constant(to), expressions: fc.array(expression, { minLength: 1, maxLength, size: 'max' }) })

/** As many as one request may have. */
export const patternCase: fc.Arbitrary<PatternCase> = fc.oneof(
  { arbitrary: casesOf('assertions', anyPattern, 20), weight: 3 },
  { arbitrary: casesOf('paths', path, 20), weight: 3 },
  { arbitrary: casesOf('dialogue', anyPattern, 10), weight: 2 },
  { arbitrary: casesOf('plan', anyPattern, 20), weight: 2 },
)
