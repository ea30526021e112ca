import assert from 'node:assert/strict'
import { test } from 'node:test'
import { excerptOf } from '../../src/outbound/excerpt.ts'

test('text is cut to its maximum length, and never within a character', () => {
  assert.equal(excerptOf('short', 10), 'short')
  assert.equal(excerptOf('exact🎉', 7), 'exact🎉')
  assert.equal(excerptOf('abc🎉', 4), 'abc')
})

test('what databases cannot store is replaced', () => {
  assert.equal(excerptOf('a\0b', 10), 'a\uFFFDb')
  assert.equal(excerptOf('a\uD83C', 10), 'a\uFFFD')
  assert.equal(excerptOf('\uDF89b', 10), '\uFFFDb')
})
