import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LargeText, largeText } from '../../../src/server/responses/large-text.ts'

const CHUNK = 256 * 1024

function chunksOf(text: LargeText): string[] {
  const chunks: string[] = []
  while (!text.isEmpty) chunks.push(text.take())
  return chunks
}

test('the chunks of a text, however it is divided into parts, give the text', () => {
  const cases = [['x'], ['x'.repeat(CHUNK)], ['x'.repeat(3 * CHUNK + 1), 'y', 'z'.repeat(CHUNK + 1)], ['a', '', 'b']]
  for (const parts of cases) {
    const text = largeText(parts)
    assert.deepEqual([text.bytes, text.encoding], [parts.join('').length, 'latin1'])
    const chunks = chunksOf(text)
    assert.equal(chunks.join(''), parts.join(''))
    assert.ok(chunks.every(({ length }) => length <= CHUNK))
  }
})

test('a chunk does not end inside of a character', () => {
  for (const before of ['', 'x']) {
    const whole = `${before}${'😀'.repeat(CHUNK)}`
    const text = largeText([whole])
    assert.deepEqual([text.bytes, text.encoding], [Buffer.byteLength(whole), 'utf8'])
    const sent = chunksOf(text).map((chunk) => Buffer.from(chunk))
    assert.equal(Buffer.concat(sent).toString(), whole)
  }
})

test('a discarded text is empty', () => {
  const text = largeText(['x'.repeat(2 * CHUNK)])
  text.take()
  text.discard()
  assert.equal(text.isEmpty, true)
})
