import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSlug, numberedSlug, slugFrom } from '../../../src/publishing/status-pages/slug.ts'

const names: readonly [name: string, slug: string][] = [
  ['Shop', 'shop'],
  ['  Acme, Inc. — Status  ', 'acme-inc-status'],
  ['Größe & Söhne', 'grosse-sohne'],
  ["Pharos' Café №5", 'pharos-cafe-no5'],
  ['Ærø Łódź Þór', 'aero-lodz-thor'],
  ['İstanbul ıŞ', 'istanbul-is'],
  ['Яндекс Щука', 'yandeks-shchuka'],
  ['Ελλάδα', 'ellada'],
  ['ＦＵＬＬ　ｗｉｄｔｈ', 'full-width'],
  ['商店状态', 'status'],
  ['ステータス 24', '24-status'],
  ['😀', 'status'],
  ['a', 'a-status'],
  ['ab', 'ab-status'],
  ['--x--y--', 'x-y'],
]

for (const [name, slug] of names) {
  test(`${name} becomes ${slug}`, () => assert.equal(slugFrom(name), slug))
}

const codePoint = fc.integer({ min: 0, max: 0x10ffff })

test('every name gives a valid slug, with and without a number', () => {
  fc.assert(
    // Not fc.string: its generator of all code points takes seconds to set up.
    fc.property(fc.array(codePoint, { maxLength: 120 }), fc.integer({ min: 1, max: 1_000_000 }), (points, n) => {
      const slug = slugFrom(String.fromCodePoint(...points))
      assert.ok(isSlug(slug), slug)
      assert.ok(isSlug(numberedSlug(slug, n)), numberedSlug(slug, n))
    }),
    { numRuns: 2_000 },
  )
})

test('numbered slugs differ even if they are truncated', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 10_000 }), (a, b) => {
      const slug = 'x'.repeat(63)
      assert.equal(numberedSlug(slug, a) === numberedSlug(slug, b), a === b)
    }),
  )
})
