import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ConnectionStep, request, runConnection } from '../../support/raw-http.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { BODY, type Expected, hold, LIST, REFUSED } from './raw-connection.ts'

describe('clients that take their time', () => {
  let server: TestServer
  let port: number
  before(async () => {
    server = await startTestServer('sqlite', { timeouts: { headersMs: 600, bodyMs: 600, drainMs: 600 } })
    port = Number(new URL(server.url).port)
  })
  after(() => server.stop())
  const slowly = (name: string, steps: () => ConnectionStep[], expected: Expected): void => {
    test(name, async () => {
      const exchange = await runConnection(port, steps())
      assert.equal(exchange.end, 'closed')
      hold(exchange, expected)
    })
  }
  const json = () => ({ 'X-API-Key': server.key, 'Content-Type': 'application/json' })

  slowly('a connection without a byte is closed without an answer', () => [], { answers: [] })
  slowly(
    'headers that never end (408) are a 400',
    () => [{ send: 'GET /api/v1/monitors HTTP/1.1\r\nHost: a\r\n' }],
    REFUSED,
  )
  slowly(
    'a body that never ends (408) is a 400',
    () => [{ send: request('POST', LIST, { ...json(), 'Content-Length': '99' }, '{') }],
    {
      answers: [[400, 'validation_error', 'body']],
      closes: true,
    },
  )
  slowly(
    'a body that drips is a 400',
    () => [
      { send: request('POST', LIST, { ...json(), 'Content-Length': '99' }) },
      ...Array.from({ length: 12 }, (): ConnectionStep[] => [{ send: ' ' }, { waitMs: 100 }]).flat(),
    ],
    { answers: [[400, 'validation_error', 'body']], closes: true },
  )
  slowly(
    'a refused request whose body never comes is answered once',
    () => [{ send: request('POST', LIST, { 'Content-Length': '99' }, '{') }],
    { answers: [[401, 'unauthorized']] },
  )
  slowly(
    'a refused request whose body turns out broken is answered once',
    () => [
      { send: request('POST', LIST, { 'Transfer-Encoding': 'chunked' }) },
      { awaitAnswers: 1 },
      { send: 'zz\r\n' },
      'finish',
    ],
    { answers: [[401, 'unauthorized']] },
  )
  test('a body that comes in time is read, and stopping does not wait for incomplete requests', async () => {
    // Longer than the time limit of a test: waiting for them would fail.
    const timeouts = { headersMs: 1_500_000, bodyMs: 1_500_000, drainMs: 200 }
    const other = await startTestServer('sqlite', { timeouts })
    const at = Number(new URL(other.url).port)
    const headers = { 'X-API-Key': other.key, 'Content-Type': 'application/json', 'Content-Length': `${BODY.length}` }
    const incomplete = [
      runConnection(at, [{ send: 'GET /api/v1/mon' }]),
      runConnection(at, [{ send: request('POST', LIST, headers, '{') }]),
    ]
    // Its connection is accepted after theirs.
    const late = await runConnection(at, [
      { send: request('POST', LIST, { ...headers, Connection: 'close' }) },
      { waitMs: 200 },
      { send: BODY },
    ])
    hold(late, { answers: [[201]] })
    await other.stop()
    for (const exchange of incomplete) assert.notEqual((await exchange).end, 'open')
  })
  test('stopping does not wait for idle connections', async () => {
    const timeouts = { headersMs: 1_500_000, bodyMs: 1_500_000, drainMs: 1_500_000 }
    const other = await startTestServer('sqlite', { timeouts })
    const idle = runConnection(Number(new URL(other.url).port), [
      { send: request('GET', '/healthz') },
      { awaitAnswers: 1 },
    ])
    assert.equal((await other.client().get('/monitors')).status, 200)
    await other.stop()
    assert.deepEqual([(await idle).answers.length, (await idle).end], [1, 'closed'])
  })
})
