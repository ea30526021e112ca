import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { accentCssOf, accentStylesheet, contrast, parse } from '../../../../src/publishing/public-site/styles/accent.ts'
import { pageStylesheetName, stylesheetNamed } from '../../../../src/publishing/public-site/styles/stylesheets.ts'

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('any accent colour is readable in light and dark mode', () => {
  fc.assert(
    fc.property(colour, (chosen) => {
      const [light = '', dark = ''] = [...accentStylesheet(chosen).css.matchAll(/--accent:(#[0-9a-f]{6})/g)].map(
        ([, c]) => c,
      )
      for (const surface of ['#ffffff', '#f6f8fa']) assert.ok(contrast(parse(light), parse(surface)) >= 4.5)
      for (const surface of ['#0d1117', '#161b22']) assert.ok(contrast(parse(dark), parse(surface)) >= 4.5)
      assert.ok(contrast(parse(light), parse('#ffffff')) >= 4.5 && contrast(parse(dark), parse('#000000')) >= 4.5)
    }),
  )
})

test('a readable colour is not changed', () => {
  assert.match(accentStylesheet('#2450b0').css, /^:root\{--accent:#2450b0/)
})

test('a stylesheet is found only by its exact name', () => {
  const { name, css } = accentStylesheet('#C0FFEE')
  assert.equal(accentCssOf(name), css)
  for (const other of [name.replace('c0ffee', 'c0ffef'), `${name}x`, 'accent-red-12345678.css', '../style.css', '']) {
    assert.equal(stylesheetNamed(other), undefined)
  }
})

test('the shared stylesheet has no comments and is small', () => {
  const css = stylesheetNamed(pageStylesheetName) as string
  assert.doesNotMatch(css, /\/\*|\n/)
  assert.ok(css.length < 20_000)
})
