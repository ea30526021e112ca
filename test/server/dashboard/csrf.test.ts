import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { requireSameOrigin } from '../../../src/server/dashboard/same-origin.ts'
import { useInstallation } from '../../support/person.ts'
import { exchange, request } from '../../support/raw.ts'

const BASE = 'https://pharos.example.com'

/** Headers of a change, and whether it is allowed. */
const cases: readonly [what: string, headers: Record<string, string>, isPermitted: boolean][] = [
  ['a page of the server', { origin: BASE, 'sec-fetch-site': 'same-origin' }, true],
  ['a page of the server, in an old browser', { origin: BASE }, true],
  ['a page of the server, opened by its address', { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' }, true],
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, false],
  ['another site, in an old browser', { origin: 'https://evil.example' }, false],
  ['another host of the same domain', { origin: 'https://evil.example.com', 'sec-fetch-site': 'same-site' }, false],
  ['the same host on another port', { origin: `${BASE}:8443`, 'sec-fetch-site': 'same-site' }, false],
  ['the same host without TLS', { origin: 'http://pharos.example.com', 'sec-fetch-site': 'cross-site' }, false],
  ['a sandboxed frame or a redirect', { origin: 'null', 'sec-fetch-site': 'cross-site' }, false],
  ['an origin that only begins like ours', { origin: `${BASE}.evil.example` }, false],
  ['an origin with more than an origin in it', { origin: `${BASE}/` }, false],
  [
    'a form that says where it is, against its own origin',
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    false,
  ],
  ['a client that sends neither header', {}, false],
]

for (const [what, headers, isPermitted] of cases) {
  test(`a change by ${what} is ${isPermitted ? 'permitted' : 'refused'}`, () => {
    const ask = (method: string) =>
      requireSameOrigin({ method, headers: { host: 'pharos.example.com', ...headers } }, BASE)
    if (isPermitted) ask('POST')
    else for (const method of ['POST', 'PATCH', 'DELETE', 'PUT']) assert.throws(() => ask(method), /did not come from/)
    ask('GET')
    ask('HEAD')
  })
}

describe('another site', () => {
  const installation = useInstallation('sqlite')

  test('another site changes nothing although the browser sends the cookie', async () => {
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const [method, path, body] of [
      ['POST', '/sign-out', undefined],
      ['POST', '/v1/monitors', { name: 'x', type: 'CRON' }],
      ['PATCH', '/me', { name: 'Eve' }],
    ] as const) {
      const { status, body: answer } = await installation.owner.send(method, path, body, foreign)
      assert.deepEqual([status, answer.error.code], [403, 'forbidden'], path)
    }
    assert.equal((await installation.owner.get('/me')).body.user.name, 'owner')
    assert.equal((await installation.owner.get('/v1/monitors')).body.pagination.total, 0)
  })

  test('no response allows other origins to read it', async () => {
    const { headers } = await installation.owner.send('GET', '/me', undefined, { origin: 'https://evil.example' })
    assert.equal(headers.get('access-control-allow-origin'), null)
  })

  test('another site changes nothing with a form', async () => {
    const sent = request(
      'POST',
      '/app/api/sign-out',
      ['Origin: https://evil.example', `Cookie: ${installation.owner.cookie}`, 'Content-Type: text/plain'],
      '{}',
    )
    assert.equal((await exchange(installation.server.url, sent)).status, 403)
  })
})
