import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { Budget } from '../../../../src/monitoring/monitor-types/assertions/budget.ts'
import { measurePattern } from '../../../../src/monitoring/monitor-types/assertions/measure-pattern.ts'
import { compilePattern, InvalidExpression } from '../../../../src/monitoring/monitor-types/assertions/pattern.ts'
import { costlyPatterns, ideographs, slowPatterns } from '../../../attacks/large-patterns.ts'
import { slowness, threadCpuMs } from '../../../support/cpu-time.ts'
import { rounds } from '../../../support/rounds.ts'

/** Undefined if it is accepted. */
function refusalOf(source: string): string | undefined {
  try {
    compilePattern(source)
    return undefined
  } catch (error) {
    if (error instanceof InvalidExpression) return error.message
    throw error
  }
}

const MAX_MS = 5
/** The processor time is counted in steps of 4 ms on some machines. */
const REPEATS = 5

/** CPU time of one decision. Each has a pattern of its own, because accepted ones are cached. */
function decisionMs(source: string): number {
  const before = threadCpuMs()
  for (let i = 1; i <= REPEATS; i += 1) refusalOf('(?)'.repeat(i) + source)
  return (threadCpuMs() - before) / REPEATS
}

function requireQuickDecision(source: string): void {
  const ms = decisionMs(source)
  if (ms > MAX_MS) assert.ok(ms / slowness() < MAX_MS, `${ms} ms for ${source}`)
}

/** All forms of RE2's syntax, and what is like them. */
const parts = [
  ...['a', 'b', 'k', 'é', '\u{1f600}', 'ſ', '\n', ' ', ',', '1', '0', '-', ']', '}', '[', '[^', '\\', '[:', ':]'],
  ...[
    '(',
    '(',
    '(?:',
    '(?i:',
    '(?s-i:',
    '(?P<n>',
    '(?<m>',
    '(?P<',
    ')',
    ')',
    '|',
    '(?i)',
    '(?-i)',
    '(?U)',
    '(?)',
    '(?-)',
  ],
  ...[
    '*',
    '+',
    '?',
    '{2}',
    '{0,3}',
    '{1}',
    '{3,}',
    '{0}',
    '{10}',
    '{0,200}',
    '{,2}',
    '{07}',
    '{2,1}',
    '{2,1',
    '{1001}',
    '{',
  ],
  ...['^', '$', '.', '\\b', '\\B', '\\A', '\\z', '\\Q', '\\E', '\\Qab\\E', '\\Q\\E', '\\C', '\\y'],
  ...[
    '\\d',
    '\\W',
    '\\s',
    '\\pL',
    '\\p{Greek}',
    '\\P{^Lu}',
    '\\p{Assigned}',
    '\\p{',
    '\\p',
    '[[:alpha:]]',
    '[[:^word:]]',
  ],
  ...['\\x41', '\\x{1F600}', '\\x{', '\\101', '\\07', '\\8', '\\n', '\\.', '\\\\'],
  ...[
    '[a-z]',
    '[^\\]x]',
    '[]a]',
    '[^]]',
    '[a-]',
    '[\\d-z]',
    '[!-\u8000]',
    '[\\pL\\d]',
    '[^\\x00-\\x{10FFFF}]',
    '[\\a-\\x{3000}]',
  ],
]
const part = fc.constantFrom(...parts)
const RUNS = 3_000 * rounds

test('the measured size is at least the number of instructions', () => {
  let accepted = 0
  const patterns = fc.array(part, { maxLength: 14 }).map((all) => all.join(''))
  fc.assert(
    fc.property(patterns, (source) => {
      const { size, anchoredSize } = measurePattern(source)
      assert.ok(anchoredSize >= size)
      if (size > 3_000) return
      let instructions = 0
      try {
        instructions = RE2JS.compile(source).programSize()
      } catch {
        return
      }
      accepted += 1
      assert.ok(instructions <= size, `${source} has ${instructions} instructions, measured ${size}`)
    }),
    { numRuns: RUNS },
  )
  assert.ok(accepted > RUNS / 10, `${accepted} patterns were valid`)
})

test('whether a pattern of 1,000 characters is accepted takes less than 5 ms', () => {
  for (const [name, source] of Object.entries(costlyPatterns)) assert.equal(refusalOf(source), undefined, name)
  for (const source of Object.values({ ...slowPatterns, ...costlyPatterns })) requireQuickDecision(source)
  const repeated = fc.tuple(fc.array(part, { minLength: 1, maxLength: 6 }), fc.constantFrom(1, 3, 10, 40, 200))
  const patterns = fc.array(repeated, { minLength: 1, maxLength: 6 }).map((all) =>
    all
      .map(([some, times]) => some.join('').repeat(times))
      .join('')
      .slice(0, 1_000),
  )
  fc.assert(fc.property(patterns, requireQuickDecision), { numRuns: RUNS / 10 })
})

test('slow patterns are refused', () => {
  for (const [name, source] of Object.entries(slowPatterns)) {
    assert.ok(source.length <= 1_000, name)
    assert.match(refusalOf(source) ?? '', /^the pattern is too large: use fewer or smaller repetitions/, name)
  }
})

test('ordinary patterns are accepted', () => {
  for (const source of [
    '[a-z]{500}',
    '(?:[0-9a-f]{2}:){15}[0-9a-f]{2}',
    '(?i)<title>[^<]{1,200}checkout',
    '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.|$)){4}',
    '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?){1,3}$',
    "^[\\p{L}\\p{M}\\p{N}_'-]+(?: [\\p{L}\\p{M}\\p{N}_'-]+)*@[\\p{L}\\p{N}-]+\\.\\p{L}{2,}$",
    '(?i)[à-ÿа-я\u4e00-\u9fff]+',
    '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})$',
    '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    '(?s)<html.*"status":\\s*"(?:ok|up|healthy)".*</html>',
    'x'.repeat(998),
    Array.from({ length: 190 }, (_, i) => i + 1_000).join('|'),
  ]) {
    assert.equal(refusalOf(source), undefined, source)
  }
})

test('a pattern with many options after its beginning matches what it says', () => {
  const options = ideographs(490)
  const source = `^${options.map((character) => `${character}?`).join('')}$`
  assert.ok(measurePattern(source).anchoredSize > 1_000)
  const pattern = compilePattern(source)
  const budget = new Budget()
  for (const [text, matches] of [
    ['', true],
    [options.slice(0, 20).join(''), true],
    [`${options[3]}${options[7]}`, true],
    [`${options[7]}${options[3]}`, false],
    [`${options[7]}a`, false],
    ['a', false],
  ] as const) {
    assert.equal(pattern.isIn(text, budget), matches, text)
    assert.equal(pattern.isWhole(text, budget), matches, text)
  }
})

test('its faults name what was written', () => {
  const source = `(${ideographs(100)
    .map((character) => `${character}?`)
    .join('')}^`
  assert.ok(measurePattern(source).anchoredSize > 1_000)
  assert.equal(refusalOf(source), `missing closing ) at ${JSON.stringify(source)}`)
  assert.match(refusalOf(`*${source})`) ?? '', /^missing argument to repetition operator at "\*"$/)
})
