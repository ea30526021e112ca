import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { durationText } from '../../../src/lib/duration.ts'
import { oneLine, truncate } from '../../../src/lib/text.ts'
import { fitLines } from '../../../src/notifications/contacts/text.ts'
import { anyCharacter } from '../../support/any-character.ts'

const anyText = fc.string({ unit: anyCharacter, maxLength: 300 })

test('untrusted text becomes one line without invisible or direction-changing characters', () => {
  assert.equal(oneLine(' a\r\n\tb\u2028c\u0000 d '), 'a b c d')
  assert.equal(oneLine('\u202egnorw\u202c \u200bx\ufeff'), 'gnorw x')
  assert.equal(oneLine('👩‍👩‍👧‍👦 é'), '👩‍👩‍👧‍👦 é')
  fc.assert(
    fc.property(anyText, (text) => {
      const line = oneLine(text)
      return !/[\p{Cc}\u2028\u2029\u202a-\u202e]/u.test(line) && line.isWellFormed() && line === line.trim()
    }),
  )
})

test('truncated text keeps to the maximum, ends with a whole character and an ellipsis', () => {
  assert.equal(truncate('short', 5), 'short')
  assert.equal(truncate('longer', 5), 'long…')
  const family = '👩‍👩‍👧‍👦'
  assert.equal(truncate(`ab${family}cd`, 8), 'ab…')
  assert.equal(truncate(`ab${family}cdef`, 3 + family.length), `ab${family}…`)
  assert.equal(truncate('e\u0301e\u0301e\u0301', 4), 'e\u0301…')
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 300 }), (raw, most) => {
      const text = raw.toWellFormed()
      const short = truncate(text, most)
      assert.ok(short.length <= most && short.isWellFormed())
      if (text.length > most) assert.ok(text.startsWith(short.slice(0, -1)) && short.endsWith('…'))
      else assert.equal(short, text)
    }),
  )
})

test('every line is either shown or counted', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(10)) as [string, string, string]
  assert.deepEqual(fitLines({ lines: ['a', 'b'], unlisted: 0 }, 4), ['a', 'b'])
  assert.deepEqual(fitLines({ lines: [a, b, c], unlisted: 0 }, 30), [a, '… and 2 more'])
  assert.deepEqual(fitLines({ lines: [a, b], unlisted: 5 }, 1000), [a, b, '… and 5 more'])
  assert.deepEqual(fitLines({ lines: [a.repeat(10)], unlisted: 0 }, 20), ['… and 1 more'])
  const some = fc.array(fc.string({ maxLength: 40 }), { maxLength: 200 })
  const count = fc.integer({ min: 0, max: 9 })
  fc.assert(
    fc.property(some, count, fc.integer({ min: 20, max: 2000 }), (lines, unlisted, most) => {
      const shown = fitLines({ lines, unlisted }, most)
      assert.ok(shown.join('\n').length <= most)
      if (unlisted === 0 && shown.length === lines.length && shown.at(-1) === lines.at(-1)) return
      const [, missing] = /^… and (\d+) more$/.exec(shown.at(-1) ?? '') ?? []
      assert.deepEqual(shown.slice(0, -1), lines.slice(0, shown.length - 1))
      assert.equal(shown.length - 1 + Number(missing), lines.length + unlisted)
    }),
  )
})

test('a duration is given in its two largest units', () => {
  const cases: [number, string][] = [
    [0, 'less than 1 s'],
    [999, 'less than 1 s'],
    [3_000, '3 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [125_000, '2 min 5 s'],
    [3_600_000, '1 h'],
    [3_605_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [90_000_000, '1 d 1 h'],
    [-5, 'less than 1 s'],
  ]
  for (const [ms, text] of cases) assert.equal(durationText(ms), text)
})
