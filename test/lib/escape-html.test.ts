import assert from 'node:assert/strict'
import test from 'node:test'
import { escapeHtml } from '../../src/lib/escape-html.ts'

test('markup, entities and both kinds of quotes are escaped', () => {
  assert.equal(
    escapeHtml(`<a href="x" title='y'>&amp;</a>`),
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  )
})

test('other text is left as it is', () => {
  for (const text of ['', 'plain', 'größer 😀 `{}`']) assert.equal(escapeHtml(text), text)
})
