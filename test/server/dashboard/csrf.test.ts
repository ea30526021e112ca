import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fetchPage } from '../../publishing/public-site/fixtures.ts'
import { useInstallation } from '../../support/person.ts'
import { exchange, request } from '../../support/raw.ts'

const BASE = 'https://pharos.example.com'
const HOST = 'pharos.example.com'

/** Headers of a change, and whether it is permitted. */
type Case = readonly [what: string, headers: Record<string, string>, isPermitted: boolean]

/** On a server with this address, which trusts a proxy that may name the scheme. */
const behindProxy: readonly Case[] = [
  ['a page of the server', { origin: BASE, 'sec-fetch-site': 'same-origin' }, true],
  ['a page of the server, in an old browser', { origin: BASE }, true],
  ['a page of the server, through a proxy that names the scheme', { origin: BASE, 'x-forwarded-proto': 'https' }, true],
  ['a page of the server, through a proxy that changes the host', { origin: BASE, host: '10.0.0.7:3000' }, true],
  ['a page of the server, opened by its address', { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' }, true],
  [
    'a page of the server, opened by another name with TLS',
    { origin: 'https://status.lan', host: 'status.lan', 'x-forwarded-proto': 'https' },
    true,
  ],
  [
    'the same, if the host has the port',
    { origin: 'https://status.lan', host: 'Status.lan:443', 'x-forwarded-proto': 'https' },
    true,
  ],
  [
    'a page of the server, opened by another name with TLS through a proxy that does not name the scheme',
    { origin: 'https://status.lan', host: 'status.lan', 'sec-fetch-site': 'same-origin' },
    true,
  ],
  ['the same, in an old browser', { origin: 'https://status.lan', host: 'status.lan' }, false],
  [
    'a page without TLS of another name with TLS',
    { origin: 'http://status.lan', host: 'status.lan', 'x-forwarded-proto': 'https' },
    false,
  ],
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, false],
  ['another site, in an old browser', { origin: 'https://evil.example' }, false],
  ['another host of the same domain', { origin: 'https://evil.example.com', 'sec-fetch-site': 'same-site' }, false],
  ['the same host on another port', { origin: `${BASE}:8443`, 'sec-fetch-site': 'same-site' }, false],
  ['the same host on another port, in an old browser', { origin: `${BASE}:8443` }, false],
  ['the same host without TLS', { origin: `http://${HOST}`, 'sec-fetch-site': 'cross-site' }, false],
  ['the same host without TLS, in an old browser', { origin: `http://${HOST}` }, false],
  [
    'the same host without TLS, in an old browser, through a proxy that names the scheme',
    { origin: `http://${HOST}`, 'x-forwarded-proto': 'https' },
    false,
  ],
  ['a sandboxed frame or a redirect', { origin: 'null', 'sec-fetch-site': 'cross-site' }, false],
  ['a sandboxed frame, in an old browser', { origin: 'null', 'x-forwarded-proto': 'x' }, false],
  ['an origin that only begins like ours', { origin: `${BASE}.evil.example` }, false],
  ['an origin with more than an origin in it', { origin: `${BASE}/` }, false],
  [
    'a form that says where it is, against its own origin',
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    false,
  ],
  ['a client that sends neither header', {}, false],
]

/** On a server that knows no address of its own but localhost, and no proxy. */
const alone: readonly Case[] = [
  ['a page of the server', { origin: `http://${HOST}` }, true],
  ['a page on another port', { origin: `http://${HOST}:8080` }, false],
  ['a page of the same host with TLS', { origin: `https://${HOST}` }, false],
  [
    'a page of the same host with TLS, with a header that only a proxy may send',
    { origin: `https://${HOST}`, 'x-forwarded-proto': 'https' },
    false,
  ],
  [
    'a page of the server through a proxy that it does not know',
    { origin: `https://${HOST}`, 'sec-fetch-site': 'same-origin' },
    true,
  ],
]

const installations = [
  { where: 'behind a proxy', cases: behindProxy, env: { PHAROS_BASE_URL: BASE, PHAROS_TRUST_PROXY: '127.0.0.1' } },
  { where: 'without a proxy', cases: alone, env: {} },
] as const

for (const { where, cases, env } of installations) {
  describe(`a change, ${where},`, () => {
    const installation = useInstallation('sqlite', { env })

    for (const [what, headers, isPermitted] of cases) {
      test(`by ${what} is ${isPermitted ? 'permitted' : 'refused'}`, async () => {
        const ask = (method: string, path: string) =>
          fetchPage(`${installation.server.url}/app/api${path}`, { method, headers: { host: HOST, ...headers } })
        for (const [method, path] of [
          ['POST', '/sign-out'],
          ['PATCH', '/me'],
          ['PUT', '/v1/monitors/mon_x/labels'],
          ['DELETE', '/v1/monitors/mon_x'],
        ] as const) {
          const { status, text } = await ask(method, path)
          if (!isPermitted) assert.match(text, /did not come from/, `${status}`)
          assert.equal(status === 403, !isPermitted, `${method} ${path}: ${status} ${text}`)
        }
        assert.equal((await ask('GET', '/me')).status, 401)
        assert.equal((await ask('HEAD', '/me')).status, 401)
      })
    }
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
