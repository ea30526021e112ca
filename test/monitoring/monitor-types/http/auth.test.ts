import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import http from 'node:http'
import { describe, test } from 'node:test'
import type { Auth } from '../../../../src/contract/check-options.ts'
import { answerDigest } from '../../../../src/monitoring/monitor-types/http/digest.ts'
import { listen, recordingSite } from '../../../outbound/fixtures.ts'
import { closedPort } from '../../../support/ports.ts'
import { checkHttp, errorOf } from '../probing.ts'

test('BASIC and BEARER are sent with the first request, instead of a header of the monitor', async () => {
  await using site = await recordingSite((_path, response) => response.end())
  const requestHeaders = { authorization: 'mine' }
  const sent = async (auth: Auth) => {
    await checkHttp({ url: site.at('/'), requestHeaders, request: { auth } })
    return site.arrivals.at(-1)?.headers.authorization
  }
  const basic = await sent({ type: 'BASIC', username: 'mé', password: 'p:ss' })
  assert.equal(basic, `Basic ${Buffer.from('mé:p:ss').toString('base64')}`)
  assert.equal(await sent({ type: 'BEARER', token: 'abc' }), 'Bearer abc')
})

describe('DIGEST', () => {
  test('gives the answers of RFC 7616', () => {
    const challenge =
      'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, ' +
      'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
    const credentials = { username: 'Mufasa', password: 'Circle of Life' }
    const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ'
    const answer = (text: string) => answerDigest(credentials, 'GET', '/dir/index.html', text, cnonce)
    const sha256 = '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'
    const md5 = '8ca523f5e9506fed4657c9700eebdbec'
    assert.match(answer(challenge) ?? '', new RegExp(`response="${sha256}", algorithm=SHA-256, opaque="FQhe`))
    const weak = challenge.replace('SHA-256', 'MD5')
    assert.match(answer(weak) ?? '', new RegExp(`response="${md5}", algorithm=MD5`))
    assert.match(answer(`Basic realm="x, y", ${weak}, ${challenge}`) ?? '', /algorithm=SHA-256/)
    assert.equal(answer('Basic realm="x"'), undefined)
    assert.equal(answer(challenge.replace('SHA-256', 'SHA-512-256')), undefined)
    assert.equal(answer(challenge.replace('auth, auth-int', 'auth-int')), undefined)
  })

  test('a challenge is answered once, also after a redirect within the origin', async () => {
    const md5 = (text: string) => createHash('md5').update(text).digest('hex')
    const challenge = 'Digest realm="r", nonce="n", qop="auth"'
    let requests = 0
    await using server = await listen(
      http.createServer((request, response) => {
        requests += 1
        const given = request.headers.authorization ?? ''
        const [cnonce, answer] = [/cnonce="(.*?)"/.exec(given)?.[1], /response="(.*?)"/.exec(given)?.[1]]
        const right = md5(`${md5('me:r:pass')}:n:00000001:${cnonce}:auth:${md5(`GET:${request.url}`)}`)
        if (answer !== right) response.writeHead(401, { 'www-authenticate': challenge }).end()
        else if (request.url === '/') response.writeHead(302, { location: '/end' }).end()
        else response.end('in')
      }),
    )
    const url = `http://127.0.0.1:${server.port}/`
    const auth = (password: string): Auth => ({ type: 'DIGEST', username: 'me', password })
    const sample = await checkHttp({ url, request: { auth: auth('pass') } })
    assert.partialDeepStrictEqual(sample, { outcome: 'success', statusCode: 200 })
    assert.equal(requests, 4)
    const wrong = await checkHttp({ url, request: { auth: auth('wrong') } })
    assert.equal(errorOf(wrong), 'HTTP 401 Unauthorized (expected 2xx or 3xx)')
    assert.equal(requests, 6)
  })
})

const client = (tokenUrl: string, parts: object = {}): Auth => ({
  type: 'OAUTH2_CLIENT_CREDENTIALS',
  tokenUrl,
  clientId: 'shop monitor',
  clientSecret: 's3cret/+',
  ...parts,
})

/** Issues t1, t2 and so on; the API accepts what `isValid` accepts. */
async function scene(answer: (count: number) => object, isValid: (token: string) => boolean) {
  let count = 0
  const endpoint = await recordingSite((_path, response) => response.end(JSON.stringify(answer(++count))))
  const api = await recordingSite((_path, response) => {
    const token = api.arrivals.at(-1)?.headers.authorization?.slice('Bearer '.length) ?? ''
    response.writeHead(isValid(token) ? 200 : 401).end()
  })
  return {
    endpoint,
    api,
    check: (parts?: object) => checkHttp({ url: api.at('/'), request: { auth: client(endpoint.at('/token'), parts) } }),
    async [Symbol.asyncDispose]() {
      await endpoint[Symbol.asyncDispose]()
      await api[Symbol.asyncDispose]()
    },
  }
}

describe('OAUTH2_CLIENT_CREDENTIALS', () => {
  test('a token is fetched once and used until it expires', async () => {
    await using it = await scene(
      (count) => ({ access_token: `t${count}`, expires_in: count === 1 ? 3600 : 10 }),
      () => true,
    )
    for (let i = 0; i < 3; i++) assert.equal((await it.check()).outcome, 'success')
    assert.equal(it.endpoint.arrivals.length, 1)
    const [{ headers, body, method } = assert.fail()] = it.endpoint.arrivals
    assert.deepEqual([method, body], ['POST', 'grant_type=client_credentials'])
    assert.equal(headers.authorization, `Basic ${btoa('shop+monitor:s3cret%2F%2B')}`)
    // Another scope is another token; this one is too short to be kept.
    for (let i = 0; i < 2; i++) await it.check({ scope: 'read all', audience: 'https://api.test' })
    assert.equal(it.endpoint.arrivals.length, 3)
    assert.equal(
      it.endpoint.arrivals[1]?.body,
      'grant_type=client_credentials&scope=read+all&audience=https%3A%2F%2Fapi.test',
    )
  })

  test('a token that the target refuses is replaced once', async () => {
    await using it = await scene(
      (count) => ({ access_token: `t${count}` }),
      (token) => token === 't2',
    )
    assert.equal((await it.check()).outcome, 'success')
    assert.deepEqual([it.endpoint.arrivals.length, it.api.arrivals.length], [2, 2])
    assert.equal((await it.check()).outcome, 'success')
    assert.deepEqual([it.endpoint.arrivals.length, it.api.arrivals.length], [2, 3])
    await using never = await scene(
      (count) => ({ access_token: `t${count}` }),
      () => false,
    )
    assert.equal(errorOf(await never.check()), 'HTTP 401 Unauthorized (expected 2xx or 3xx)')
    assert.deepEqual([never.endpoint.arrivals.length, never.api.arrivals.length], [2, 2])
  })

  test('an endpoint that refuses the header gets the credentials in the body', async () => {
    await using endpoint = await recordingSite((_path, response) => {
      if (!endpoint.arrivals.at(-1)?.headers.authorization) return response.end('{"access_token":"t"}')
      return response.writeHead(401).end('{"error":"invalid_client"}')
    })
    await using api = await recordingSite((_path, response) => response.end())
    const sample = await checkHttp({ url: api.at('/'), request: { auth: client(endpoint.at('/token')) } })
    assert.equal(sample.outcome, 'success', JSON.stringify(sample))
    assert.match(endpoint.arrivals[1]?.body ?? '', /&client_id=shop\+monitor&client_secret=s3cret%2F%2B$/)
  })

  test('a failing endpoint is a failure that says so, and the target is not asked', async () => {
    const answers: [number, string, RegExp][] = [
      [400, '{"error":"invalid_scope","error_description":"s3cret/+"}', /: HTTP 400 Bad Request \(invalid_scope\)$/],
      [500, 'oops', /: HTTP 500 Internal Server Error$/],
      [302, '', /: HTTP 302 Found$/],
      [200, '<html>', /: no access token in the response$/],
      [200, 'null', /: no access token in the response$/],
      [200, '{"access_token":"a\\r\\nX: y"}', /: no access token in the response$/],
      [200, `{"access_token":"${'a'.repeat(70_000)}"}`, /: no access token in the response$/],
    ]
    let [status, body] = [0, '']
    await using endpoint = await recordingSite((_path, response) => response.writeHead(status).end(body))
    await using api = await recordingSite((_path, response) => response.end())
    const auth = client(endpoint.at('/token'))
    for (const [nextStatus, nextBody, error] of answers) {
      ;[status, body] = [nextStatus, nextBody]
      const sample = await checkHttp({ url: api.at('/'), request: { auth } })
      assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'STATUS', kind: 'content' })
      assert.match(errorOf(sample), error)
      assert.ok(errorOf(sample).startsWith(`Token endpoint 127.0.0.1:${endpoint.port}: `))
      assert.ok(!JSON.stringify(sample).includes('s3cret'))
    }
    const port = await closedPort()
    const refused = await checkHttp({ url: api.at('/'), request: { auth: client(`http://127.0.0.1:${port}/`) } })
    assert.partialDeepStrictEqual(refused, {
      outcome: 'failure',
      code: 'CONNECT',
      kind: 'connection',
      error: `Token endpoint 127.0.0.1:${port}: Connection refused by 127.0.0.1:${port}`,
    })
    assert.equal(api.connections(), 0)
  })
})

test('OAuth2 checks at the same time share one request for a token and its answer; without an answer the next one asks', async () => {
  const all = <T>(check: () => Promise<T>) => Promise.all(Array.from({ length: 5 }, check))
  await using it = await scene(
    (count) => ({ access_token: `t${count}` }),
    () => true,
  )
  for (const { outcome } of await all(() => it.check())) assert.equal(outcome, 'success')
  assert.equal(it.endpoint.arrivals.length, 1)
  await using refusing = await scene(
    () => ({ error: 'invalid_scope' }),
    () => true,
  )
  for (const sample of await all(() => refusing.check())) assert.match(errorOf(sample), /no access token in/)
  assert.equal(refusing.endpoint.arrivals.length, 1)
  let [open, mostOpen] = [0, 0]
  await using silent = await recordingSite((_path, response) => {
    mostOpen = Math.max(mostOpen, ++open)
    setTimeout(() => {
      open -= 1
      response.destroy()
    }, 20)
  })
  const auth = client(silent.at('/token'))
  for (const sample of await all(() => checkHttp({ url: it.api.at('/'), request: { auth } })))
    assert.match(errorOf(sample), /^Token endpoint .*: Connection closed/)
  assert.deepEqual([silent.arrivals.length, mostOpen], [5, 1])
})
