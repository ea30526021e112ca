import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { writeYaml } from '../../src/lib/write-yaml.ts'

test('numbers of a list are on one line, and everything is read back', () => {
  const value = {
    monitors: { shop: { expectedStatus: [200, 204], tags: ['a', 'b'], none: [], nested: [[1, 2], [3]] } },
  }
  const text = writeYaml(value)
  assert.match(text, /^ {4}expectedStatus: \[200, 204\]$/m)
  assert.match(text, /^ {6}- a$/m)
  assert.deepEqual(parse(text), value)
})
