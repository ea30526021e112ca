import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMarkdownRenderer } from '../../src/lib/markdown.ts'
import { slowTexts } from '../attacks/slow-markdown.ts'

const { render, renderWithLines } = createMarkdownRenderer()

const linesOf = (text: string) => renderWithLines(text, 2).lines

test('lines have the text without its markup, and the addresses of links', () => {
  assert.deepEqual(
    linesOf('# Payments\n\nCall **PSP 2** or _Ada_,\nsee [wiki](https://w.example/x) and https://a.example'),
    ['Payments', 'Call PSP 2 or Ada,', 'see wiki (https://w.example/x) and https://a.example'],
  )
  assert.deepEqual(linesOf('- one\n- two\n  1. `first`\n  2. second\n\n3. third'), [
    '• one',
    '• two',
    '  1. first',
    '  2. second',
    '3. third',
  ])
  assert.deepEqual(linesOf('```sh\nsystemctl restart pay\n```\n<b>no tag</b> [x](javascript:alert(1))'), [
    'systemctl restart pay',
    '<b>no tag</b> [x](javascript:alert(1))',
  ])
})

test('the HTML beside the lines is that of `render`, also of a text that takes too much work', () => {
  for (const text of ['# a\n\n**b** [c](https://c.example)', ...Object.values(slowTexts)]) {
    assert.equal(renderWithLines(text, 2).html, render(text, 2))
    assert.ok(linesOf(text).length > 0)
  }
})
