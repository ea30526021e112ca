import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { problemsOf } from '../../fuzz/check-response.ts'
import { type ConnectionStep, type RawAnswer, request, runConnection } from '../../support/raw-http.ts'
import { BOOTSTRAP_KEY, startTestServer, type TestServer } from '../../support/server.ts'
import { BODY, type Expected, hold, LIST, REFUSED } from './raw-connection.ts'

const LIMIT = 2 * 1024 * 1024
const key = { 'X-API-Key': BOOTSTRAP_KEY }
const json = { ...key, 'Content-Type': 'application/json' }
const chunked = { ...json, 'Transfer-Encoding': 'chunked' }
/** One answer. */
const one = (...answer: Expected['answers'][number]): Expected => ({ answers: [answer] })
const badHost = one(400, 'validation_error', 'host')
const tooLarge: Expected = { answers: [[400, 'validation_error', 'body']], closes: false }

/** Bytes sent before the client closes its side, the expected responses, and which of them answer HEAD. */
type Row = readonly [guarantee: string, bytes: string, expected: Expected, heads?: readonly number[]]

const rows: readonly Row[] = [
  ['a method that nobody knows is a 400', request('BREW', LIST, key), REFUSED],
  ['a method in lower case is a 400', request('get', LIST, key), REFUSED],
  ['a line that is no request is a 400', 'hello\r\n\r\n', REFUSED],
  ['a TLS greeting is a 400', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', REFUSED],
  ['the preface of HTTP/2 is a 400', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', REFUSED],
  ['a version that is none is a 400', `GET ${LIST} HTTP/7.3\r\nHost: a\r\n\r\n`, REFUSED],
  ['a bare LF is a 400', `GET ${LIST} HTTP/1.1\nHost: a\n\n`, REFUSED],
  ['a NUL in a header is a 400', request('GET', LIST, { ...key, 'X-A': 'a\0b' }), REFUSED],
  ['a folded header is a 400', request('GET', LIST, { ...key, 'X-A': 'a\r\n b' }), REFUSED],
  ['an unescaped character in the address is a 400', request('GET', `${LIST}/\xe9`, key), REFUSED],
  ['half a request line is a 400', 'GET /api/v1/mon', REFUSED],
  ['nothing at all is answered with nothing', '', { answers: [] }],
  ['empty lines are answered with nothing', '\r\n\r\n', { answers: [] }],

  ['an address over 16 KiB (414) is a 400', request('GET', `${LIST}/${'x'.repeat(17_000)}`, key), REFUSED],
  ['headers over 16 KiB (431) are a 400', request('GET', LIST, { ...key, X: 'x'.repeat(17_000) }), REFUSED],
  [
    'too many headers (431) are a 400',
    request('GET', LIST, key).replace('\r\n\r\n', `\r\n${'X: y\r\n'.repeat(4_000)}\r\n`),
    REFUSED,
  ],
  [
    'an id of 9,000 characters is not found',
    request('GET', `${LIST}/${'x'.repeat(9_000)}`, key),
    one(404, 'not_found'),
  ],

  ...['%', '%zz', '%c0%af', '%ed%a0%80', 'a%2'].map(
    (bad): Row => [
      `bad percent-encoding (${bad}) is a 400 that names the path`,
      request('GET', `${LIST}/${bad}`, key),
      one(400, 'validation_error', 'path'),
    ],
  ),
  ['bad percent-encoding without a key is a 401', request('GET', `${LIST}/%zz`), one(401, 'unauthorized')],
  [
    'an encoded NUL is a 400 that names the parameter',
    request('GET', `${LIST}/%00`, key),
    one(400, 'validation_error', 'monitorId'),
  ],

  ...(
    [
      ['CONNECT', 'localhost:443'],
      ['OPTIONS', '*'],
    ] as const
  ).flatMap(([name, target]): Row[] => [
    [`${name} ${target} is a 400`, request(name, target, key), one(400, 'validation_error', 'path')],
    [`${name} ${target} without a key is a 401`, request(name, target), one(401, 'unauthorized')],
  ]),
  ['QUERY on no path at all is a 400', request('QUERY', '*', key), one(400, 'validation_error', 'content-type')],
  ...['PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH', 'PURGE'].map(
    (method): Row => [
      `${method} on a path of other methods is a 405`,
      request(method, LIST, key),
      one(405, 'method_not_allowed'),
    ],
  ),
  [
    'a wrong method is reported before a wrong content type',
    request('PUT', LIST, { ...key, 'Content-Type': ';;' }, 'x'),
    one(405, 'method_not_allowed'),
  ],
  ['a path behind a semicolon is another path', request('GET', `${LIST};a=b`, key), one(404, 'not_found')],
  ['an address with scheme and host is understood', request('GET', `http://localhost${LIST}`, key), one(200)],
  [
    'and its method is judged like any other',
    request('PUT', `http://localhost${LIST}`, key),
    one(405, 'method_not_allowed'),
  ],
  ['HEAD answers with headers alone', request('HEAD', LIST, key), one(200), [0]],
  ['HEAD without a key is a 401 without a body', request('HEAD', LIST), one(401), [0]],

  ['HTTP/1.1 without Host is a 400', `GET ${LIST} HTTP/1.1\r\nX-API-Key: ${BOOTSTRAP_KEY}\r\n\r\n`, badHost],
  ['a Host with a space is a 400', request('GET', LIST, { ...key, Host: 'a b' }), badHost],
  ['a Host with a path is a 400', request('GET', LIST, { ...key, Host: 'a/b' }), badHost],
  ['two Hosts are a 400', request('GET', LIST, { ...key, Host: 'a', host: 'b' }), badHost],
  [
    'HTTP/1.0 needs no Host',
    `GET ${LIST} HTTP/1.0\r\nX-API-Key: ${BOOTSTRAP_KEY}\r\n\r\n`,
    {
      answers: [[200]],
      closes: true,
    },
  ],

  [
    'an expectation that nobody meets (417) is a 400',
    request('POST', LIST, { ...json, Expect: 'tea' }, BODY),
    one(400, 'validation_error', 'expect'),
  ],
  ['Expect: 100-continue is met', request('POST', LIST, { ...json, Expect: '100-continue' }, BODY), one(201)],
  [
    'an offer to upgrade is declined by answering',
    request('GET', LIST, { ...key, Connection: 'Upgrade', Upgrade: 'websocket' }),
    one(200),
  ],

  [
    'Content-Length beside Transfer-Encoding is a 400',
    request('POST', LIST, { ...chunked, 'Content-Length': '5' }, '0\r\n\r\n'),
    REFUSED,
  ],
  [
    'two different Content-Lengths are a 400',
    request('POST', LIST, { ...json, 'Content-Length': '5', 'content-length': '6' }, 'abcdef'),
    REFUSED,
  ],
  ['a negative Content-Length is a 400', request('POST', LIST, { ...json, 'Content-Length': '-5' }, 'abcde'), REFUSED],
  [
    'a transfer coding that is not chunked is a 400',
    request('POST', LIST, { ...json, 'Transfer-Encoding': 'gzip' }, BODY),
    REFUSED,
  ],
  ['a chunk size that is no number is a 400', request('POST', LIST, chunked, 'zz\r\nab\r\n0\r\n\r\n'), REFUSED],
  ['a chunk longer than it says is a 400', request('POST', LIST, chunked, '2\r\nabcdef\r\n0\r\n\r\n'), REFUSED],
  [
    'chunk extensions over 16 KiB are a 400',
    request('POST', LIST, chunked, `2;${'x'.repeat(17_000)}\r\nab\r\n0\r\n\r\n`),
    REFUSED,
  ],
  ['a body that ends too soon is a 400', request('POST', LIST, { ...json, 'Content-Length': '100' }, BODY), REFUSED],
  ['chunks that never end are a 400', request('POST', LIST, chunked, '2\r\nab\r\n'), REFUSED],

  ['a body over 2 MiB (413) is a 400', request('POST', LIST, json, 'x'.repeat(LIMIT + 1)), tooLarge],
  [
    'so is one in chunks',
    request('POST', LIST, chunked, `${(LIMIT + 1).toString(16)}\r\n${'x'.repeat(LIMIT + 1)}\r\n0\r\n\r\n`),
    tooLarge,
  ],
  ['a body of exactly 2 MiB is read', request('POST', LIST, json, BODY.padEnd(LIMIT)), one(201)],
  [
    'requests sent at once are answered in order',
    request('POST', LIST, json, BODY) +
      request('GET', `${LIST}/x`, key) +
      request('GET', `${LIST}?limit=0`, key) +
      request('GET', LIST),
    {
      answers: [[201], [404, 'not_found'], [400, 'validation_error', 'limit'], [401, 'unauthorized']],
    },
  ],
  [
    'garbage behind a request does not take that request’s answer',
    `${request('POST', LIST, json, BODY)}garbage\r\n\r\n`,
    {
      answers: [[201], [400, 'validation_error', 'request']],
      closes: true,
    },
  ],
  ['a client that says it is done still gets its answer', request('DELETE', `${LIST}/x`, key), one(404, 'not_found')],
]

describe('requests that never reach a route', () => {
  let server: TestServer
  let port: number
  before(async () => {
    server = await startTestServer('sqlite')
    port = Number(new URL(server.url).port)
  })
  after(() => server.stop())

  for (const [guarantee, bytes, expected, heads = []] of rows) {
    test(guarantee, async () => {
      const exchange = await runConnection(port, [{ send: bytes }, 'finish'], { heads })
      assert.equal(exchange.end, 'closed')
      hold(exchange, expected, heads)
    })
  }

  test('a Content-Length of 1 TB is rejected without reading', async () => {
    // The client does not close its side: a truncated body is a different fault, and either may be reported first.
    const send = request('POST', LIST, { ...json, 'Content-Length': '1099511627776' }, BODY)
    const exchange = await runConnection(port, [{ send }])
    assert.equal(exchange.end, 'closed')
    hold(exchange, { answers: [[400, 'validation_error', 'body']], closes: true })
  })

  for (const moves of [
    [{ send: 'CONNECT localhost:443 HTTP/1.1\r\nHost: a\r\n\r\n' }, 'reset'],
    [{ send: request('GET', LIST) }, 'reset'],
    [{ send: request('POST', LIST, { 'Content-Length': '9' }, '{') }, { waitMs: 20 }, 'reset'],
    [{ send: 'garbage\r\n' }, 'reset'],
    ['reset'],
  ] as ConnectionStep[][]) {
    test(`a client that disconnects after ${JSON.stringify(moves)} does not affect others`, async () => {
      await runConnection(port, moves)
      const next = await runConnection(port, [{ send: request('GET', LIST, key) }, 'finish'])
      hold(next, one(200))
    })
  }

  test('malformed requests count against the quota of their address and get 429 over it', async () => {
    await using strict = await startTestServer('sqlite', { env: { PHAROS_RATE_LIMIT: '2' } })
    const at = Number(new URL(strict.url).port)
    const statuses: number[] = []
    for (let i = 0; i < 3; i += 1) {
      const { answers } = await runConnection(at, [{ send: 'garbage\r\n\r\n' }])
      assert.deepEqual(problemsOf(answers[0] as RawAnswer), [])
      statuses.push(answers[0]?.status ?? 0)
    }
    assert.deepEqual(statuses, [400, 400, 429])
  })
})
