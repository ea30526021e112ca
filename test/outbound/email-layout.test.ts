import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountEmail } from '../../src/accounts/users/account-email.ts'
import { escapeHtml } from '../../src/lib/escape-html.ts'
import { aside, emailLink, renderEmail, stateItem, type Tone } from '../../src/outbound/email-layout.ts'
import { subject } from '../../src/outbound/email-subject.ts'

const hostile = `"><script>alert(1)</script><img src=x onerror='alert(1)'>&lt;`

/** Only tags of the layout, and no attribute that runs code. */
function expectSafe(html: string): void {
  const rest = html
    .replace(/<style>[^<]*<\/style>|<!doctype html>/g, '')
    .replace(/<\/?(html|head|body|meta|title|table|tr|td|h1|div|p|span|b|a|img)\b( [a-z-]+="[^"<>]*")*>/g, '')
  assert.doesNotMatch(rest, /[<>]/)
  assert.doesNotMatch(html.replace(/="[^"]*"/g, ''), /<[^>]* on\w+|<script/)
}

test('text in every place of the layout is escaped', () => {
  for (const tone of ['down', 'degraded', 'up', 'maintenance', 'neutral'] satisfies Tone[]) {
    expectSafe(
      renderEmail({
        locale: hostile,
        title: hostile,
        preview: hostile,
        paragraphs: [hostile],
        notes: [hostile],
        sender: { name: hostile, logoUrl: `https://example.com/${hostile}` },
        state: { tone, word: hostile },
        lines: [hostile, hostile],
        content:
          stateItem(tone, escapeHtml(hostile), escapeHtml(hostile), hostile) + aside(hostile, escapeHtml(hostile)),
        button: { text: hostile, href: `https://example.com/?${hostile}` },
        footer: emailLink(hostile, hostile),
      }),
    )
  }
  const { html } = accountEmail('id', {
    to: 'a@example.com',
    subject: subject`${hostile}`,
    paragraphs: [hostile, hostile],
    link: `https://example.com/${hostile}`,
    button: hostile,
  })
  expectSafe(html)
})

test('the only image is an https logo', () => {
  const withLogo = (logoUrl: string | null) => renderEmail({ sender: { name: 'Acme', logoUrl }, title: 'x' })
  assert.match(withLogo('https://example.com/logo.png'), /<img src="https:\/\/example\.com\/logo\.png" alt=""/)
  for (const url of [
    'http://example.com/logo.png',
    'javascript:alert(1)',
    'data:image/png;base64,x',
    'cid:x',
    '',
    null,
  ]) {
    assert.doesNotMatch(withLogo(url), /<img/)
    assert.match(withLogo(url), />A<\/td>/, 'the first letter instead')
  }
  assert.match(renderEmail({ sender: { name: '👩‍🚀 Space' }, title: 'x' }), />👩‍🚀<\/td>/, 'one grapheme')
})

test('the layout declares light and dark and is at most 600 px wide', () => {
  const html = renderEmail({ sender: { name: 'Acme' }, title: 'x' })
  assert.match(html, /<meta name="color-scheme" content="light dark">/)
  assert.match(html, /@media \(prefers-color-scheme:dark\)/)
  assert.match(html, /max-width:600px/)
})
