import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskUrl, maskValue, unmaskUrl } from '../../src/lib/mask.ts'

const urls: readonly [plain: string, masked: string][] = [
  ['https://user:secret@shop.example/a', 'https://user:***@shop.example/a'],
  ['https://:secret@shop.example/', 'https://:***@shop.example/'],
  ['https://user:se@cr:et@shop.example/', 'https://user:***@shop.example/'],
  ['HTTPS://user:secret@shop.example', 'HTTPS://user:***@shop.example'],
  ['postgres://user:secret@db.example:5432/x?y#z', 'postgres://user:***@db.example:5432/x?y#z'],
  ['https://user:secret@not a host', 'https://user:***@not a host'],
  ['https://user@shop.example/', 'https://user@shop.example/'],
  ['https://user:@shop.example/', 'https://user:@shop.example/'],
  ['https://shop.example:8443/a@b', 'https://shop.example:8443/a@b'],
  ['https://shop.example/?mail=a:b@c', 'https://shop.example/?mail=a:b@c'],
  ['shop.example', 'shop.example'],
]

test('the password of an address is masked', () => {
  for (const [plain, masked] of urls) assert.equal(maskUrl(plain), masked)
})

test('a masked password is replaced by the stored one', () => {
  const stored = 'https://user:se@cr:et@shop.example/'
  assert.equal(unmaskUrl('https://user:***@new.example/x', stored), 'https://user:se@cr:et@new.example/x')
  assert.equal(unmaskUrl('https://user:given@new.example/', stored), 'https://user:given@new.example/')
  assert.equal(unmaskUrl('https://new.example/', stored), 'https://new.example/')
  assert.equal(unmaskUrl('https://user:***@new.example/', 'https://shop.example/'), undefined)
  assert.equal(unmaskUrl('https://user:***@new.example/', null), undefined)
})

test('a stored password with replacement patterns is inserted unchanged', () => {
  assert.equal(unmaskUrl('https://u:***@a.example/', 'https://u:$&$1@b.example/'), 'https://u:$&$1@a.example/')
})

test('only harmless headers keep their values', () => {
  const headers = { Accept: 'text/html', 'USER-AGENT': 'probe', Cookie: 'id=1', 'X-Anything': '', authorization: 'x' }
  assert.deepEqual(maskValue('headers', headers), {
    Accept: 'text/html',
    'USER-AGENT': 'probe',
    Cookie: '***',
    'X-Anything': '***',
    authorization: '***',
  })
})

test('a secret is masked as a whole, and a missing one stays missing', () => {
  assert.equal(maskValue('secret', 'text'), '***')
  assert.equal(maskValue('secret', ''), '***')
  assert.equal(maskValue('secret', null), null)
  assert.equal(maskValue('headers', null), null)
  assert.equal(maskValue('plain', 'text'), 'text')
})
