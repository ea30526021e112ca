import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FullTarget } from '../../../../src/monitoring/monitor-types/definitions.ts'
import { recordingSite } from '../../../outbound/fixtures.ts'
import { closedPort } from '../../../support/ports.ts'
import { checkHttp } from '../probing.ts'

const METHODS: [status: number, method: FullTarget['method'], becomes: string][] = [
  [301, 'GET', 'GET'],
  [301, 'POST', 'GET'],
  [302, 'POST', 'GET'],
  [302, 'PUT', 'PUT'],
  [301, 'DELETE', 'DELETE'],
  [303, 'POST', 'GET'],
  [303, 'PUT', 'GET'],
  [303, 'HEAD', 'HEAD'],
  [302, 'HEAD', 'HEAD'],
  [307, 'POST', 'POST'],
  [308, 'PATCH', 'PATCH'],
]

for (const [status, method, becomes] of METHODS) {
  test(`${status} turns ${method} into ${becomes}`, async () => {
    await using server = await recordingSite((path, response) =>
      path === '/old' ? response.writeHead(status, { location: '/new' }).end() : response.end('there'),
    )
    const requestHeaders = { 'content-type': 'text/plain', 'x-mine': 'kept', authorization: 'Bearer kept' }
    const sample = await checkHttp({ url: server.at('/old'), method, requestHeaders, requestBody: 'data' })
    assert.partialDeepStrictEqual(sample, { outcome: 'success', statusCode: 200 })
    const arrival = server.arrivals[1]
    assert.partialDeepStrictEqual(arrival, { method: becomes, url: '/new', body: becomes === method ? 'data' : '' })
    assert.partialDeepStrictEqual(arrival?.headers, { 'x-mine': 'kept', authorization: 'Bearer kept' })
    assert.equal(arrival?.headers['content-type'], becomes === method ? 'text/plain' : undefined)
    await server.quiet()
  })
}

test('each form of Location is understood', async () => {
  for (const location of [
    'there?q=1',
    '/a/there?q=1',
    '../a/there?q=1#part',
    'PORT/a/there?q=1',
    'http:PORT/a/there?q=1',
  ]) {
    await using server = await recordingSite((path, response) => {
      const full = location.replace('PORT', `//127.0.0.1:${server.port}`)
      return path === '/a/here' ? response.writeHead(302, { location: full }).end() : response.end()
    })
    assert.equal((await checkHttp({ url: server.at('/a/here') })).outcome, 'success', location)
    assert.equal(server.arrivals[1]?.url, '/a/there?q=1', location)
  }
})

test('a Location in UTF-8 is understood', async () => {
  const location = Buffer.from('/grün').toString('latin1')
  await using server = await recordingSite((path, response) =>
    path === '/' ? response.writeHead(302, { location }).end() : response.end(),
  )
  await checkHttp({ url: server.at('/') })
  assert.equal(server.arrivals[1]?.url, '/gr%C3%BCn')
})

test('ten redirects are followed, eleven are too many', async () => {
  await using server = await recordingSite((path, response) => {
    const left = Number(path.slice(1))
    return left === 0 ? response.end() : response.writeHead(302, { location: `/${left - 1}` }).end()
  })
  assert.equal((await checkHttp({ url: server.at('/10') })).outcome, 'success')
  const sample = await checkHttp({ url: server.at('/11') })
  const error = 'More than 10 redirects'
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'STATUS', kind: 'content', error })
  assert.equal(server.connections(), 22)
  await server.quiet()
})

test('when redirects are not followed, the status of the redirect is judged', async () => {
  await using server = await recordingSite((_path, response) => response.writeHead(302, { location: '/new' }).end())
  assert.partialDeepStrictEqual(await checkHttp({ url: server.at('/'), followRedirects: false }), {
    outcome: 'success',
    statusCode: 302,
  })
  const strict = await checkHttp({ url: server.at('/'), followRedirects: false, expectedStatus: [200] })
  assert.partialDeepStrictEqual(strict, { outcome: 'failure', error: 'HTTP 302 Found (expected 200)' })
  assert.equal(server.arrivals.length, 2)
})

test('a 3xx without a Location is judged by its status', async () => {
  for (const status of [300, 301, 304]) {
    const headers = status === 301 ? {} : { location: '/new' }
    await using server = await recordingSite((_path, response) => response.writeHead(status, headers).end())
    assert.partialDeepStrictEqual(await checkHttp({ url: server.at('/'), expectedStatus: [status] }), {
      outcome: 'success',
    })
    assert.equal(server.arrivals.length, 1)
  }
})

test('a redirect to another scheme fails', async () => {
  const cases = {
    'http://a b/': 'Redirected to an invalid URL',
    'file:///etc/passwd': 'Redirected to a file: URL, which cannot be checked',
    'data:,hi': 'Redirected to a data: URL, which cannot be checked',
  }
  for (const [location, error] of Object.entries(cases)) {
    await using server = await recordingSite((_path, response) => response.writeHead(302, { location }).end())
    const sample = await checkHttp({ url: server.at('/') })
    assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'STATUS', kind: 'content', error })
  }
})

test('a failed hop does not report the status of the previous one', async () => {
  const location = `http://127.0.0.1:${await closedPort()}/`
  await using server = await recordingSite((_path, response) => response.writeHead(302, { location }).end())
  const sample = await checkHttp({ url: server.at('/') })
  assert.partialDeepStrictEqual(sample, { outcome: 'failure', code: 'CONNECT' })
  assert.ok(sample.outcome === 'failure' && sample.statusCode === undefined && sample.ip === undefined)
})
