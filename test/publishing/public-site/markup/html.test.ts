import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stripControls } from '../../../../src/lib/text.ts'
import { html, webUrl } from '../../../../src/publishing/public-site/markup/html.ts'
import { anyCharacter } from '../../../support/any-character.ts'

test('strings are escaped in content and in attributes', () => {
  const evil = `"><script>alert('&')</script>`
  assert.equal(
    String(html`<a title="${evil}">${evil}</a>`),
    '<a title="&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;">' +
      '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;</a>',
  )
})

test('nested templates are kept, arrays joined, null and false left out, zero kept', () => {
  const items = ['<a>', 'b'].map((item) => html`<li>${item}</li>`)
  assert.equal(String(html`<ul>${items}${null}${undefined}${false}${0}</ul>`), '<ul><li>&lt;a&gt;</li><li>b</li>0</ul>')
})

test('an object that imitates safe HTML is rejected', () => {
  const forged = { toString: () => '<script>' } as unknown as string
  assert.throws(() => String(html`${forged}`))
})

test('no string leaves a template with unescaped markup characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (text) => {
      assert.doesNotMatch(String(html`${text}`).replace(/&(amp|lt|gt|quot|#39);/g, ''), /[&<>"']/)
    }),
  )
})

test('bidirectional overrides and control characters are removed; others stay', () => {
  const turned = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0, 7, 0x1b, 0x7f, 0x9b]
  assert.equal(stripControls(`a${String.fromCodePoint(...turned)}b`), 'ab')
  assert.equal(stripControls('שלום 日本 é\n\t👩‍💻'), 'שלום 日本 é\n\t👩‍💻')
})

test('only http and https URLs become links', () => {
  assert.equal(webUrl('https://example.com/a?b="c"'), 'https://example.com/a?b=%22c%22')
  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    ' \tjavascript:alert(1)',
    'nonsense',
    '//a',
    null,
  ]) {
    assert.equal(webUrl(address), undefined)
  }
})
