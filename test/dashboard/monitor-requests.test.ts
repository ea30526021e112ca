import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Auth, authIn, withAuth } from '../../dashboard/src/screens/monitors/auth-headers.ts'
import { withoutMasked } from '../../dashboard/src/screens/monitors/without-masked.ts'

describe('Authentication presets', () => {
  const none: Auth = { kind: 'none' }

  test('are stored as a header, recognized again, and leave other headers unchanged', () => {
    for (const [auth, line] of [
      [{ kind: 'basic', user: 'ada', password: 'pä:ss' }, 'Authorization: Basic YWRhOnDDpDpzcw=='],
      [{ kind: 'bearer', token: 't0ken' }, 'Authorization: Bearer t0ken'],
      [{ kind: 'header', name: 'X-API-Key', value: 'k:1' }, 'X-API-Key: k:1'],
    ] as const) {
      const headers = withAuth('Accept: text/plain', none, auth)
      assert.equal(headers, `Accept: text/plain\n${line}`)
      assert.deepEqual(authIn(headers), auth)
      assert.equal(withAuth(headers, auth, none), 'Accept: text/plain')
    }
  })

  test('replace each other in place', () => {
    const bearer: Auth = { kind: 'bearer', token: 'a' }
    const headers = withAuth('Authorization: Bearer a\nAccept: */*', bearer, { kind: 'bearer', token: 'b' })
    assert.equal(headers, 'Authorization: Bearer b\nAccept: */*')
  })

  test('a header that matches no preset is a custom header, and invalid values are not recognized', () => {
    assert.deepEqual(authIn('authorization: Digest x=y'), {
      kind: 'header',
      name: 'authorization',
      value: 'Digest x=y',
    })
    assert.deepEqual(authIn('Authorization: Basic %%%').kind, 'header')
    assert.deepEqual(authIn('nonsense\nAccept: */*'), none)
  })
})

test('a curl command never contains masked values', () => {
  const body = { name: 'Shop', url: 'https://***@shop.test/', requestHeaders: { Accept: '*/*', 'X-Key': '***' } }
  assert.deepEqual(withoutMasked('PATCH', body), { name: 'Shop' })
  assert.deepEqual(withoutMasked('POST', body), {
    name: 'Shop',
    url: 'https://REPLACE_URL@shop.test/',
    requestHeaders: { Accept: '*/*', 'X-Key': 'REPLACE_X_KEY' },
  })
})
