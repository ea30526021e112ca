import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Labels,
  MAX_SELECTOR_CHARS,
  matchesSelector,
  parseSelector,
  type Selector,
  SelectorError,
  selectorText,
} from '../../src/lib/selector.ts'

const canonical: readonly [text: string, canonical: string][] = [
  ['team=payments', 'team=payments'],
  ['team==payments', 'team=payments'],
  [' team = payments ', 'team=payments'],
  ['team!=payments', 'team!=payments'],
  ['team != payments', 'team!=payments'],
  ['team', 'team'],
  ['!team', '!team'],
  ['! team', '!team'],
  ['env in (prod,staging)', 'env in (prod,staging)'],
  ['env in(staging , prod)', 'env in (prod,staging)'],
  ['env in (prod)', 'env=prod'],
  ['env in (prod,prod)', 'env=prod'],
  ['env notin (prod)', 'env!=prod'],
  ['env notin ( a , b )', 'env notin (a,b)'],
  ['team=payments,env in (prod,staging),!legacy', 'team=payments,env in (prod,staging),!legacy'],
  ['team=payments, team=payments', 'team=payments'],
  ['b=1,a=2', 'b=1,a=2'],
  ['in in (in)', 'in=in'],
  ['notin notin (notin,in)', 'notin notin (in,notin)'],
  ['in,notin', 'in,notin'],
  ['note=""', 'note=""'],
  ['note="a b"', 'note="a b"'],
  ['note="plain"', 'note=plain'],
  ['note="a,b"', 'note="a,b"'],
  ['note="(x)"', 'note="(x)"'],
  ['note="say \\"hi\\""', 'note="say \\"hi\\""'],
  ['note="C:\\\\x"', 'note="C:\\\\x"'],
  ["owner=O'Brien", "owner=O'Brien"],
  ['note in ("", "a b", c)', 'note in ("","a b",c)'],
  ['path=/a/b?c', 'path=/a/b?c'],
  ['stadt=Köln', 'stadt=Köln'],
  ['a_b-1=2', 'a_b-1=2'],
]

test('a selector has one canonical text, which means the same', () => {
  for (const [text, expected] of canonical) {
    const parsed = parseSelector(text)
    assert.equal(selectorText(parsed), expected)
    assert.deepEqual(parseSelector(expected), parsed)
  }
})

const longKey = `k${'x'.repeat(32)}`

const faults: readonly [text: string, position: number, message: RegExp][] = [
  ['', 1, /expected a condition/],
  ['  ', 3, /expected a condition/],
  [',', 1, /expected a label key, found ","/],
  ['a=1,', 5, /expected a label key, found the end/],
  ['a=1,,b', 5, /expected a label key, found ","/],
  ['Team=a', 1, /"Team" is not a label key: use a small letter/],
  ['1a', 1, /is not a label key/],
  [longKey, 1, /is not a label key/],
  ['a.b', 1, /is not a label key/],
  ['"a"=b', 1, /expected a label key, found """/],
  ['!', 2, /expected a label key, found the end/],
  ['!!a', 2, /expected a label key, found "!"/],
  ['a=', 3, /expected a value, or "" for an empty one, found the end/],
  ['a=,b', 3, /expected a value/],
  ['a=b c', 5, /expected a comma or the end, found "c"/],
  ['a=b=c', 4, /expected a comma or the end, found "="/],
  ['a b', 3, /expected =, !=, in, notin or a comma after "a", found "b"/],
  ['a In (b)', 3, /expected =, !=, in, notin or a comma after "a", found "In"/],
  ['a (b)', 3, /found "\("/],
  ['a in b', 6, /expected "\(" and a list of values, found "b"/],
  ['a in', 5, /expected "\(" and a list of values, found the end/],
  ['a in ()', 7, /expected a value/],
  ['a in (b', 8, /expected a comma or "\)", found the end/],
  ['a in (b,)', 9, /expected a value/],
  ['a in (b c)', 9, /expected a comma or "\)", found "c"/],
  ['a="b', 3, /the closing quote is missing/],
  ['a="b\\n"', 6, /a backslash in quotes is followed by/],
  ['a="b\\', 6, /a backslash in quotes is followed by/],
  ['a="b"c', 6, /expected a comma or the end, found "c"/],
  [`a=${'x'.repeat(64)}`, 3, /more than 63 characters/],
  ['x'.repeat(MAX_SELECTOR_CHARS + 1), 1, /has 1001 characters; at most 1000 are allowed/],
  [Array.from({ length: 21 }, (_, i) => `k${i}`).join(), 71, /more than 20 conditions/],
  [`a in (${Array.from({ length: 51 }, (_, i) => i).join()})`, 149, /more than 50 values/],
]

test('a fault names the position and what is expected', () => {
  for (const [text, position, message] of faults) {
    assert.throws(
      () => parseSelector(text),
      (error) => {
        assert.ok(error instanceof SelectorError)
        assert.match(error.message, message)
        assert.equal(error.position, position, text)
        return true
      },
    )
  }
})

test('the bounds themselves are allowed', () => {
  assert.equal(parseSelector(Array.from({ length: 20 }, (_, i) => `k${i}`).join()).length, 20)
  assert.equal(parseSelector(`a=${'😀'.repeat(63)}`).length, 1)
  const values = Array.from({ length: 50 }, (_, i) => i).join()
  assert.deepEqual(parseSelector(`a in (${values})`).length, 1)
  assert.equal(parseSelector('x'.repeat(32)).length, 1)
})

const shop: Labels = { team: 'payments', env: 'prod', note: '' }

const matching: readonly [selector: string, isMatch: boolean][] = [
  ['team=payments', true],
  ['team=checkout', false],
  ['team!=payments', false],
  ['team!=checkout', true],
  ['owner!=anna', true],
  ['env in (prod,staging)', true],
  ['env in (dev,staging)', false],
  ['env notin (dev,staging)', true],
  ['owner notin (anna,ben)', true],
  ['env notin (prod,staging)', false],
  ['team', true],
  ['owner', false],
  ['!owner', true],
  ['!team', false],
  ['note', true],
  ['note=""', true],
  ['note!=""', false],
  ['owner=""', false],
  ['team=payments,env=prod,!owner', true],
  ['team=payments,env=dev', false],
  ['constructor', false],
  ['!constructor', true],
]

test('a monitor matches if all conditions hold; a missing label has no value', () => {
  for (const [text, isMatch] of matching) assert.equal(matchesSelector(parseSelector(text), shop), isMatch, text)
})

const keys = fc.constantFrom('team', 'env', 'tier', 'in', 'notin', 'a')
const values = fc.oneof(
  fc.constantFrom('', 'prod', 'a b', 'x,y', '(z)', 'q"uote', 'back\\slash', '=', '!', 'in'),
  fc.string({ unit: 'grapheme-ascii', maxLength: 10 }),
)
const term = fc.oneof(
  fc.record(
    {
      key: keys,
      operator: fc.constantFrom('in' as const, 'notin' as const),
      values: fc.uniqueArray(values, { minLength: 1, maxLength: 4 }).map((some) => some.toSorted()),
    },
    { noNullPrototype: true },
  ),
  fc.record({ key: keys, operator: fc.constantFrom('exists' as const, 'absent' as const) }, { noNullPrototype: true }),
)
const selectors = fc.uniqueArray(term, {
  minLength: 1,
  maxLength: 6,
  comparator: 'SameValue',
  selector: JSON.stringify,
})
const labelSets = fc.dictionary(keys, values, { maxKeys: 5 })

test('parsing the text of any selector gives the selector', () => {
  fc.assert(
    fc.property(selectors, (selector) => {
      assert.deepEqual(parseSelector(selectorText(selector)), selector)
    }),
  )
})

/** By the words of the documentation, written without the matcher. */
function naiveMatch(selector: Selector, labels: Labels): boolean {
  const has = new Map(Object.entries(labels))
  let isMatch = true
  for (const one of selector) {
    const isIn = 'values' in one && one.values.some((value) => has.get(one.key) === value)
    if (one.operator === 'exists' && !has.has(one.key)) isMatch = false
    if (one.operator === 'absent' && has.has(one.key)) isMatch = false
    if (one.operator === 'in' && !isIn) isMatch = false
    if (one.operator === 'notin' && isIn) isMatch = false
  }
  return isMatch
}

test('the matcher agrees with a naive one for any selector and labels', () => {
  fc.assert(
    fc.property(selectors, labelSets, (selector, labels) => {
      assert.equal(matchesSelector(selector, labels), naiveMatch(selector, labels))
    }),
    { numRuns: 1_000 },
  )
})

test('any text is a selector or a fault with a position in the text', () => {
  const pieces = fc.constantFrom('a', 'team', ' ', ',', '=', '!', '(', ')', '"', '\\', 'in', 'notin', 'É', '1')
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 12 }).map((some) => some.join('')),
      (text) => {
        try {
          parseSelector(text)
        } catch (error) {
          assert.ok(error instanceof SelectorError)
          assert.ok(error.position >= 1 && error.position <= text.length + 1, text)
        }
      },
    ),
    { numRuns: 2_000 },
  )
})
