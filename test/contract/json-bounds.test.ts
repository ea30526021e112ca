import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundFault } from '../../src/contract/json-bounds.ts'

const faultOf = (text: string) => boundFault(Buffer.from(text))
const repeat = (part: string, count: number): string => Array.from({ length: count }, () => part).join(',')

const KEYS = 'is over the limit of 5,000 keys in a body'
const ITEMS = 'is over the limit of 20,000 list items in a body'
const DEPTH = 'is nested deeper than 32 levels'

test('the bounds themselves are within', () => {
  for (const text of [
    `{${repeat('"a":1', 5_000)}}`,
    `[${repeat('{"a":[],"b":{}}', 2_500)}]`,
    `[${repeat('1', 20_000)}]`,
    `[${repeat('[]', 10_000)},${repeat('[ 1 ]', 5_000)}]`,
    `${'['.repeat(32)}${']'.repeat(32)}`,
    `${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`,
    '{}',
    '[]',
    '"a"',
    '',
  ]) {
    assert.equal(faultOf(text), undefined, text.slice(0, 60))
  }
})

test('the first place beyond a bound is named', () => {
  const rows: [text: string, path: string, message: string][] = [
    [`{${repeat('"a":1', 5_000)},"last":1}`, 'last', KEYS],
    [`{"x":[{"y":{${repeat('"a":1', 4_998)},"l\\u00e4st":1}}]}`, 'x.0.y.läst', KEYS],
    [`[${repeat('1', 20_001)}]`, '20000', ITEMS],
    [`{"ids":[${repeat('"a"', 20_001)}]}`, 'ids.20000', ITEMS],
    [`{"a":[${repeat('1', 10_000)}],"b":[1, [], [${repeat('1', 9_998)}]]}`, 'b.2.9997', ITEMS],
    [`${'['.repeat(33)}${']'.repeat(33)}`, Array(32).fill('0').join('.'), DEPTH],
    [`{"a":[1,2,${'{"b":'.repeat(30)}[`, ['a', '2', ...Array(30).fill('b')].join('.'), DEPTH],
  ]
  for (const [text, path, message] of rows) assert.deepEqual(faultOf(text), { path, message })
})

test('brackets, commas, colons and quotes in strings do not count', () => {
  const text = JSON.stringify({ a: '[{:,"\\'.repeat(30_000), 'b"[{:,\\': 'c\\' })
  assert.equal(faultOf(text), undefined)
  assert.equal(faultOf(`{"a":"\\\\","b":[${repeat('1', 20_001)}]}`)?.path, 'b.20000')
})

test('a long name is cut', () => {
  const { path = '' } = faultOf(`{"${'k'.repeat(1_000)}":[${repeat('1', 20_001)}]}`) ?? {}
  assert.equal(path, `${'k'.repeat(200)}….20000`)
})

test('invalid JSON has no fault beyond what the parser reads', () => {
  for (const text of [']'.repeat(100), '{,,,,,', `{${','.repeat(100_000)}`, '"'.repeat(99), '[1}]]', '"abc\\']) {
    assert.equal(faultOf(text), undefined, text.slice(0, 20))
  }
})
