import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from '../../src/lib/csv.ts'

test('a cell that a spreadsheet could run begins with an apostrophe', () => {
  for (const sign of ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t=']) {
    assert.equal(csvLine([`${sign}1`, `a${sign}1`]), `'${sign}1,a${sign}1\r\n`)
  }
  for (const lineEnd of ['\r', '\n']) assert.equal(csvLine([`${lineEnd}=1`]), `"'${lineEnd}=1"\r\n`)
})

test('numbers, also negative ones, are not text', () => {
  assert.equal(csvLine([-1, 0.5, null, '']), '-1,0.5,,\r\n')
})

test('separators, quotes and line ends are quoted', () => {
  assert.equal(csvLine(['a,b', 'a"b', 'a\nb', 'a b']), '"a,b","a""b","a\nb",a b\r\n')
})
