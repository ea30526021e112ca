import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { envelopeOf, headerOf } from '../fuzz/check-response.ts'
import { useApi } from '../support/api.ts'
import { type RawAnswer, request, runConnection } from '../support/raw-http.ts'

/** A proxy may choose by one of them and Pharos by the other. */
describe('a request with two Host headers', () => {
  const api = useApi('sqlite')
  const paths = ['/', '/status/a', '/heartbeat/a', '/healthz', '/openapi.json', '/docs', '/app/api/about', '/nothing']
  for (const path of paths) {
    test(`for ${path} is a 400`, async () => {
      const port = Number(new URL(api.server.url).port)
      const send = request('GET', path, { Host: 'status.example', host: 'localhost' })
      const { answers } = await runConnection(port, [{ send }, 'finish'])
      const [answer] = answers as [RawAnswer]
      assert.equal(answer.status, 400, answer.body)
      assert.deepEqual(envelopeOf(answer).details, [{ path: 'host', message: 'must be given once' }])
      assert.equal(envelopeOf(answer).requestId, headerOf(answer, 'x-request-id'))
      assert.equal(headerOf(answer, 'cache-control'), 'no-store')
    })
  }
})
