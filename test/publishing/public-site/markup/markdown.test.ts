import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markdown } from '../../../../src/publishing/public-site/markup/markdown.ts'

const rendered = (text: string, below = 3): string => String(markdown(text, below))

test('HTML in Markdown is escaped', () => {
  assert.equal(
    rendered('<script>alert(1)</script><img src=x onerror=alert(1)>'),
    '<p>&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;</p>\n',
  )
})

test('links are http, https or mailto, with rel=nofollow', () => {
  const rel = 'rel="nofollow noopener noreferrer"'
  assert.equal(rendered('[a](https://a.example/)'), `<p><a href="https://a.example/" ${rel}>a</a></p>\n`)
  assert.equal(rendered('<mailto:a@b.example>'), `<p><a href="mailto:a@b.example" ${rel}>mailto:a@b.example</a></p>\n`)
  assert.match(rendered('see https://a.example/b.'), /see <a href="https:\/\/a\.example\/b" rel=/)
})

for (const address of [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  '&#106;avascript:alert(1)',
  'java&Tab;script:alert(1)',
  '&#x1;javascript:alert(1)',
  'vbscript:x',
  'data:text/html,<b>',
  'file:///etc/passwd',
  '//evil.example',
  '/path',
  'x:y',
]) {
  test(`${JSON.stringify(address)} does not become a link`, () => {
    assert.doesNotMatch(rendered(`[a](${address}) <${address}> [b]: ${address}\n\n[c][b]\n\n[b]: ${address}`), /<a/)
  })
}

test('text that only looks like a URL stays text', () => {
  assert.equal(
    rendered('run deploy.sh at www.example.com, ask a@b.example'),
    '<p>run deploy.sh at www.example.com, ask a@b.example</p>\n',
  )
})

test('an image becomes a link', () => {
  assert.equal(
    rendered('![chart](https://a.example/x.png)'),
    '<p>!<a href="https://a.example/x.png" rel="nofollow noopener noreferrer">chart</a></p>\n',
  )
})

test('the language of a code block is ignored', () => {
  assert.equal(rendered('```"><script> x\n<b>\n```'), '<pre><code>&lt;b&gt;\n</code></pre>\n')
})

test('headings start below the given level without gaps', () => {
  assert.equal(rendered('### a\n\n# b\n\n#### c', 2).replace(/\n/g, ''), '<h3>a</h3><h3>b</h3><h4>c</h4>')
  assert.equal(rendered('# a', 6), '<h6>a</h6>\n')
})

test('entities cannot bring back removed characters', () => {
  assert.equal(rendered('a&#x202E;b\u202ec'), '<p>abc</p>\n')
})

test('text beyond the maximum length is cut', () => {
  assert.ok(rendered('a'.repeat(200_000)).length < 50_100)
})
