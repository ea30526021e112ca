import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FullTarget } from '../../src/monitoring/monitor-types/definitions.ts'
import { probeHttp } from '../../src/monitoring/monitor-types/http/probe.ts'
import { createGuard } from '../../src/outbound/guard.ts'
import { targetOf } from '../monitoring/monitor-types/target.ts'
import { type Arrival, never, type RecordingSite, recordingSite } from '../outbound/fixtures.ts'
import { claim } from '../support/person.ts'
import { type ShownSample, shownSample } from '../support/reasons.ts'
import { startTestServer } from '../support/server.ts'

const guard = createGuard({ policy: 'allow' })
const probe = (parts: Partial<FullTarget>): Promise<ShownSample> =>
  shownSample(probeHttp(targetOf(parts), { guard }, never))

/** `locations` gives the redirect of each path; other paths answer 200. */
function site(locations: Readonly<Record<string, () => string>> = {}, status = 302): Promise<RecordingSite> {
  return recordingSite((path, response) => {
    const location = locations[path]
    if (location === undefined) response.end('there')
    else response.writeHead(status, { location: location() }).end()
  })
}

const SECRET = 'secret-0123456789'
const secrets = {
  Authorization: `Bearer ${SECRET}`,
  COOKIE: `session=${SECRET}`,
  'Proxy-Authorization': SECRET,
  'X-API-Key': SECRET,
  'PRIVATE-TOKEN': SECRET,
  'X-Anything': SECRET,
  Referer: `https://example.com/${SECRET}`,
  Host: 'first.test',
}
const harmless = { 'Accept-Language': 'de', 'User-Agent': 'mine/1', 'Cache-Control': 'no-cache', Accept: 'text/html' }

function expectNoSecret({ arrivals }: RecordingSite): void {
  assert.ok(arrivals.length > 0)
  assert.ok(!JSON.stringify(arrivals).includes(SECRET), JSON.stringify(arrivals))
}

describe('a redirect to another origin', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`${status}: only harmless headers follow`, async () => {
      await using second = await site()
      await using first = await site({ '/': () => second.at('/x') }, status)
      const url = first.at('/').replace('//', `//user:${SECRET}@`)
      const { Authorization: _, ...others } = secrets
      const requestHeaders = { ...others, ...harmless, 'Content-Type': 'text/plain' }
      assert.equal((await probe({ url, requestHeaders })).outcome, 'success')
      assert.match(JSON.stringify(first.arrivals), new RegExp(SECRET))
      expectNoSecret(second)
      assert.deepEqual(second.arrivals[0]?.headers, {
        host: `127.0.0.1:${second.port}`,
        'accept-language': 'de',
        'user-agent': 'mine/1',
        'cache-control': 'no-cache',
        accept: 'text/html',
        connection: 'close',
      })
    })
  }

  test('Authorization in the headers does not follow either', async () => {
    await using second = await site()
    await using first = await site({ '/': () => second.at('/x') })
    await probe({ url: first.at('/'), requestHeaders: secrets })
    expectNoSecret(second)
  })

  test('what was dropped does not come back when a later redirect leads to the first origin', async () => {
    await using second = await site({ '/x': () => first.at('/back') })
    await using first: RecordingSite = await site({ '/': () => second.at('/x'), '/back': () => '/end' })
    const url = first.at('/').replace('//', `//user:${SECRET}@`)
    assert.equal((await probe({ url, requestHeaders: { 'X-API-Key': SECRET } })).outcome, 'success')
    assert.deepEqual(
      first.arrivals.map(({ url, headers }) => [url, headers['x-api-key'], headers.authorization?.slice(0, 5)]),
      [
        ['/', SECRET, 'Basic'],
        ['/back', undefined, undefined],
        ['/end', undefined, undefined],
      ],
    )
    expectNoSecret(second)
  })

  test('credentials in the address of the redirect are not sent', async () => {
    await using second = await site()
    await using first = await site({ '/': () => second.at('/x').replace('//', `//user:${SECRET}@`) })
    await probe({ url: first.at('/') })
    assert.equal(second.arrivals[0]?.headers.authorization, undefined)
  })

  for (const [status, method] of [
    [301, 'PUT'],
    [302, 'PATCH'],
    [307, 'POST'],
    [308, 'POST'],
    [308, 'PATCH'],
  ] as const) {
    test(`${status} with the body of a ${method} is a failure, and the other origin is not contacted`, async () => {
      await using second = await site()
      await using first = await site({ '/': () => second.at('/x') }, status)
      const sample = await probe({ url: first.at('/'), method, requestBody: SECRET })
      const error =
        `Redirected to another origin, http://127.0.0.1:${second.port}, where the request ` +
        'body is not sent: use that URL in the monitor'
      assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'STATUS', kind: 'content', error })
      assert.equal(second.connections(), 0)
    })
  }

  for (const [status, method] of [
    [301, 'POST'],
    [302, 'POST'],
    [303, 'PUT'],
    [307, 'GET'],
  ] as const) {
    test(`${status} after a ${method} is followed with GET and without the body`, async () => {
      await using second = await site()
      await using first = await site({ '/': () => second.at('/x') }, status)
      const requestHeaders = { 'Content-Type': 'text/plain', 'Content-Language': 'en' }
      await probe({ url: first.at('/'), method, requestHeaders, requestBody: SECRET })
      assert.partialDeepStrictEqual(second.arrivals, [{ method: 'GET', body: '' }])
      const { headers } = second.arrivals[0] as Arrival
      assert.deepEqual([headers['content-type'], headers['content-language']], [undefined, undefined])
    })
  }

  test('a failed check says that headers were left out', async () => {
    await using second = await site()
    await using first = await site({ '/': () => second.at('/x') })
    const failing = { url: first.at('/'), expectedStatus: [204] }
    const plain = await probe(failing)
    assert.equal(plain.outcome === 'failure' && plain.error, 'HTTP 200 OK (expected 204)')
    const stripped = await probe({ ...failing, requestHeaders: { 'X-API-Key': SECRET } })
    assert.match(
      stripped.outcome === 'failure' ? stripped.error : '',
      /^HTTP 200 OK \(expected 204\) after a redirect to another origin, where credentials and custom headers are not sent$/,
    )
  })
})

test('a redirect within the origin keeps headers, credentials and body', async () => {
  await using only = await site({ '/': () => '/x' }, 307)
  const url = only.at('/').replace('//', `//user:${SECRET}@`)
  const requestHeaders = { 'X-API-Key': SECRET, 'Content-Type': 'text/plain' }
  await probe({ url, method: 'POST', requestHeaders, requestBody: SECRET })
  const [before, after] = only.arrivals as [Arrival, Arrival]
  assert.deepEqual(after, { ...before, url: '/x' })
  assert.deepEqual([after.body, after.headers['x-api-key']], [SECRET, SECRET])
})

describe('a redirect to another origin, in a running server', () => {
  test('a KEYWORD monitor and a test of settings send no secret there', async () => {
    await using second = await site()
    await using first = await site({ '/': () => second.at('/x') })
    await using server = await startTestServer('sqlite')
    const settings = {
      name: 'm',
      type: 'KEYWORD',
      url: first.at('/'),
      keyword: 'there',
      requestHeaders: { 'PRIVATE-TOKEN': SECRET },
    }
    const { body: monitor } = await server.client().post('/monitors', settings)
    const { status } = await server.client().post(`/monitors/${monitor.id}/check`, {})
    assert.equal(status, 200)
    const owner = await claim(server)
    const { body: tried } = await owner.post('/v1/monitors/try', settings)
    assert.equal(tried.outcome, 'SUCCESS', JSON.stringify(tried))
    assert.ok(second.arrivals.length >= 2)
    expectNoSecret(second)
  })
})
