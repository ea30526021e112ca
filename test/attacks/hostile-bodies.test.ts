import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { signIn } from '../../src/accounts/sign-in/with-password.ts'
import { createMonitor } from '../../src/monitoring/monitors/create.ts'
import { createContact } from '../../src/notifications/contacts/create.ts'
import { useApi } from '../support/api.ts'
import { expectError } from '../support/monitors.ts'
import { clientOf } from '../support/server.ts'
import { hostileToAll, limitOf, requireQuickAnswer } from './hostile-bodies.ts'

/** One operation of each limit; `hostile-bodies.long.test.ts` has all of them. */
const samples = [createMonitor, createContact, signIn]

test('no body occupies the event loop for 50 ms', () => {
  for (const operation of samples) {
    for (const [name, text] of Object.entries(hostileToAll(limitOf(operation))))
      requireQuickAnswer(operation, name, text)
  }
})

describe('hostile bodies', () => {
  const api = useApi('sqlite')
  let origin: Record<string, string>
  before(() => {
    origin = { origin: api.server.url }
  })

  test('178,000 unknown fields at sign-in are refused by their size, before they are parsed', async () => {
    const body = `{${Array.from({ length: 178_000 }, (_, i) => `"f${i}":1`).join(',')}}`
    const answer = await clientOf(api.server.url).send('POST', '/../../app/api/sign-in', body, origin)
    expectError(answer, 'validation_error', ['body'])
    assert.equal(answer.body.error.details[0].message, 'must be at most 16 KiB')
  })

  test('100,000 header names are refused at the first one beyond 5,000 keys', async () => {
    const { client } = await api.tenant()
    const headers = Array.from({ length: 100_000 }, (_, i) => `"h${i}":""`).join(',')
    const answer = await client.post('/monitors', `{"name":"x","type":"CRON","requestHeaders":{${headers}}}`)
    // name, type, requestHeaders and h0 to h4996 are 5,000 keys.
    expectError(answer, 'validation_error', ['requestHeaders.h4997'])
    assert.equal(answer.body.error.details[0].message, 'is over the limit of 5,000 keys in a body')
  })

  test('details stop at 100 faults, and the message says that there are more', async () => {
    const { client } = await api.tenant()
    const body = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`f${i}`, i]))
    const { error } = (await client.post('/monitors', body)).body
    assert.equal(error.details.length, 100)
    assert.match(error.message, / \(and at least \d{3} more\)$/)
  })
})
