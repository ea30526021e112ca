import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '../../../src/notifications/subscribers/address.ts'

test('the local part keeps its case, the domain is in lower case', () => {
  assert.equal(parseAddress('Ann.Lee+status@Example.COM'), 'Ann.Lee+status@example.com')
  assert.equal(parseAddress('  ann@example.com\n'), 'ann@example.com')
  assert.equal(parseAddress('ann@bücher.example'), 'ann@xn--bcher-kva.example')
  assert.equal(parseAddress("o'neil_{x}@sub.example.co"), "o'neil_{x}@sub.example.co")
})

test('invalid addresses, several addresses and spreadsheet formulas are refused', () => {
  const long = 'x'.repeat(64)
  for (const text of [
    ...['', '@', 'ann', 'ann@', '@example.com', 'ann@example', 'ann@example.1', 'ann@127.0.0.1', 'ann@[127.0.0.1]'],
    ...['a b@example.com', 'ann@exa mple.com', '.ann@example.com', 'ann.@example.com', 'a..b@example.com'],
    ...['ann@-example.com', 'ann@example-.com', 'ann@example..com', 'ann@example.com.', '"a b"@example.com'],
    ...['ann@example.com,bob@example.com', 'ann@example.com\r\nBcc: bob@example.com', 'ann@example.com\0'],
    ...['<ann@example.com>', 'Ann <ann@example.com>', 'a@b@example.com', 'änn@example.com', 'ann@example.com/..'],
    ...['=cmd@example.com', '+x@example.com', '-x@example.com'],
    ...[`${long}x@example.com`, `${long}@${`${'y'.repeat(60)}.`.repeat(3)}example.com`, `a@${'y'.repeat(64)}.com`],
  ]) {
    assert.equal(parseAddress(text), undefined, JSON.stringify(text))
  }
  assert.equal(parseAddress(`${long}@example.com`), `${long}@example.com`)
})

test('the maximum lengths of mail servers apply', () => {
  const host = `${'y'.repeat(60)}.${'y'.repeat(60)}.${'y'.repeat(60)}.example.com`
  const room = 254 - host.length - 1
  assert.equal(parseAddress(`${'a'.repeat(room)}@${host}`)?.length, 254)
  assert.equal(parseAddress(`${'a'.repeat(room + 1)}@${host}`), undefined)
})
