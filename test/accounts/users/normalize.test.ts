import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailboxKey } from '../../../src/accounts/users/normalize.ts'

const mailboxes: Readonly<Record<string, string>> = {
  'Ann@Example.com': 'ann@example.com',
  'ann+shop@example.com': 'ann@example.com',
  'ann+a+b@example.com': 'ann@example.com',
  '+ann@example.com': '+ann@example.com',
  'a.n.n@example.com': 'a.n.n@example.com',
  'A.n.n+x@GMail.com': 'ann@gmail.com',
  'ann@googlemail.com': 'ann@gmail.com',
  'ann@bücher.example': 'ann@xn--bcher-kva.example',
}

test('addresses of one mailbox have one key', () => {
  for (const [address, key] of Object.entries(mailboxes)) assert.equal(mailboxKey(address), key)
})
