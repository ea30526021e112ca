import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { converse, type Move, request } from '../../fuzz/wire.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { BODY, type Expected, hold, LIST, REFUSED } from './raw-connection.ts'

forEachEngine('clients that take their time', (engine) => {
  let server: TestServer
  let port: number
  before(async () => {
    server = await startTestServer(engine, { timeouts: { headersMs: 600, bodyMs: 600, drainMs: 600 } })
    port = Number(new URL(server.url).port)
  })
  after(() => server.stop())
  const slowly = (name: string, moves: () => Move[], expected: Expected): void => {
    test(name, async () => {
      const exchange = await converse(port, moves())
      assert.equal(exchange.end, 'closed')
      hold(exchange, expected)
    })
  }
  const json = () => ({ 'X-API-Key': server.key, 'Content-Type': 'application/json' })

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
      ...Array.from({ length: 12 }, (): Move[] => [{ send: ' ' }, { waitMs: 100 }]).flat(),
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
  slowly(
    'a body that comes in time is read',
    () => [
      { send: request('POST', LIST, { ...json(), 'Content-Length': `${BODY.length}`, Connection: 'close' }) },
      { waitMs: 200 },
      { send: BODY },
    ],
    { answers: [[201]] },
  )

  test('stopping does not wait for incomplete requests', async () => {
    const other = await startTestServer(engine, { timeouts: { headersMs: 60_000, bodyMs: 60_000, drainMs: 200 } })
    const at = Number(new URL(other.url).port)
    const half = converse(at, [{ send: 'GET /api/v1/mon' }], { timeoutsMs: 20_000 })
    const bodyless = converse(
      at,
      [{ send: request('POST', LIST, { 'X-API-Key': other.key, 'Content-Length': '9' }, '{') }],
      { timeoutsMs: 20_000 },
    )
    await new Promise((resolve) => setTimeout(resolve, 200))
    const started = performance.now()
    await other.stop()
    assert.ok(performance.now() - started < 10_000)
    assert.notEqual((await half).end, 'open')
    assert.notEqual((await bodyless).end, 'open')
  })
})
