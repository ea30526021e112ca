import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { createMarkdownRenderer } from '../../src/lib/markdown.ts'
import { markdown, renderInSteps } from '../../src/publishing/public-site/markup/markdown.ts'
import { createPage, fetchPage, publishIncident } from '../publishing/public-site/fixtures.ts'
import { useApi } from '../support/api.ts'
import { LENGTH, ordinaryText, repeat, slowTexts } from './slow-markdown.ts'

test('the work limit was measured with this version of markdown-it', () => {
  // lib/markdown-work.ts overrides classes and functions of the parser. With another version, check that it still counts all work.
  const url = new URL('../../node_modules/markdown-it/package.json', import.meta.url)
  assert.equal(JSON.parse(readFileSync(url, 'utf8')).version, '15.0.3')
})

for (const [name, text] of Object.entries(slowTexts)) {
  test(`50,000 characters of ${name} are shown as plain text`, () => {
    const rendered = createMarkdownRenderer().render(text, 2)
    assert.doesNotMatch(rendered, /<(?!\/?p>|br>)/)
    const shown = rendered
      .replace(/<[^>]+>/g, '')
      .replace(/&lt;/g, '<')
      .replace(/&gt;/g, '>')
      .replace(/&quot;/g, '"')
    assert.equal(shown.trim(), text.trim())
  })
}

test('50,000 characters of ordinary Markdown are rendered', () => {
  const rendered = createMarkdownRenderer().render(ordinaryText, 2)
  for (const tag of ['h3', 'ul', 'ol', 'strong', 'em', 'a href', 'code', 'pre', 'blockquote']) {
    assert.match(rendered, new RegExp(`<${tag}`), tag)
  }
})

test('a text after a slow one is rendered', () => {
  const renderer = createMarkdownRenderer()
  renderer.render(slowTexts.lists as string, 2)
  assert.equal(renderer.render('*a*', 2), '<p><em>a</em></p>\n')
})

test('an address of more than 2,000 characters is not a link', () => {
  const renderer = createMarkdownRenderer()
  assert.match(renderer.render(`[a](https://a.example/${'a'.repeat(1_900)})`, 2), /<a href/)
  assert.doesNotMatch(renderer.render(`[a](https://a.example/${'a'.repeat(2_000)})`, 2), /<a href="[^"]*">a</)
})

test('other work runs between the texts of a page', async () => {
  const texts = Array.from({ length: 200 }, (_, i) => `${i}${repeat('*a*', 4_990)}`)
  let turns = 0
  let isDone = false
  const countTurns = (): void => {
    turns += 1
    if (!isDone) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  const page = await renderInSteps(() => texts.map((text) => String(markdown(text, 2))).join(''))
  isDone = true
  assert.equal(page.match(/<p>/g)?.length, 200)
  assert.ok(turns > 5, `${turns} turns of the event loop`)
})

describe('a status page with hostile Markdown', () => {
  const api = useApi('sqlite')

  test('shows it as plain text on the page and in the feeds', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client, [])
    const incident = await publishIncident(client, page.id, { message: repeat('* a\n', 5_000) })
    const patch = { postmortem: slowTexts.lists }
    assert.equal((await client.patch(`/status-incidents/${incident.id}`, patch)).status, 200)
    const url = `${api.server.url}/status/${page.slug}`
    const { status, text } = await fetchPage(`${url}/incidents/${incident.id}`)
    assert.equal(status, 200)
    assert.equal(text.split('* a<br>').length - 1, LENGTH / 4 - 1)
    assert.match(text, /<li>a<\/li>/, 'the update is short enough')
    for (const feed of ['/feed.atom', '/feed.rss']) {
      const answer = await fetchPage(`${url}${feed}`)
      assert.equal(answer.text.split('* a&lt;br&gt;').length - 1, LENGTH / 4 - 1, feed)
    }
  })
})
