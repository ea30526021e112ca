import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asCommands, withoutMasked } from '../../dashboard/src/screens/monitors/as-curl.ts'

test('a curl command never contains masked values', () => {
  const body = { name: 'Shop', url: 'https://***@shop.test/', requestHeaders: { Accept: '*/*', 'X-Key': '***' } }
  assert.deepEqual(withoutMasked('PATCH', body), { name: 'Shop' })
  assert.deepEqual(withoutMasked('POST', body), {
    name: 'Shop',
    url: 'https://REPLACE_URL@shop.test/',
    requestHeaders: { Accept: '*/*', 'X-Key': 'REPLACE_X_KEY' },
  })
})

test('curl commands save the options too', () => {
  const options = { request: { auth: { type: 'BEARER', token: 'set' } }, notes: { text: "It's Ada" } }
  const commands = (id?: string) => asCommands('http://pharos.test/api/v1/monitors', id, { name: 'Shop' }, options)
  const firstLines = (id?: string) =>
    commands(id)
      .split('\n')
      .filter((line) => /^(curl|#)/.test(line))
  assert.deepEqual(firstLines('mon_1'), [
    "curl -X PATCH 'http://pharos.test/api/v1/monitors/mon_1' \\",
    "curl -X PUT 'http://pharos.test/api/v1/monitors/mon_1/request' \\",
    "curl -X PUT 'http://pharos.test/api/v1/monitors/mon_1/notes' \\",
  ])
  assert.deepEqual(firstLines().slice(1), [
    '# MONITOR_ID: the id in the response to the first command',
    "curl -X PUT 'http://pharos.test/api/v1/monitors/MONITOR_ID/request' \\",
    "curl -X PUT 'http://pharos.test/api/v1/monitors/MONITOR_ID/notes' \\",
  ])
  assert.ok(commands('mon_1').includes(`"token": "set"`) && commands('mon_1').includes("It'\\''s Ada"))
})
