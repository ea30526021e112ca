import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPage, fetchPage } from '../../publishing/public-site/fixtures.ts'
import { useInstallation } from '../../support/person.ts'
import { exchange, request } from '../../support/raw.ts'
import { listen } from './stream.ts'

describe('no browser guesses the type of an answer of the dashboard API:', () => {
  const installation = useInstallation('sqlite')
  const signedIn = () => ({ cookie: installation.owner.cookie ?? '', 'sec-fetch-site': 'same-origin' })

  const cases: readonly [what: string, status: number, method: string, path: string, headers?: object][] = [
    ['a list', 200, 'GET', '/v1/monitors'],
    ['its head', 200, 'HEAD', '/v1/monitors'],
    ['a CSV file', 200, 'GET', '/monitors.csv'],
    ['the OpenAPI document', 200, 'GET', '/openapi.json'],
    ['a redirect', 302, 'GET', '/oidc/start'],
    ['a change without a body', 400, 'PATCH', '/me'],
    ['a visitor', 401, 'GET', '/me', { cookie: '' }],
    ['another site', 403, 'POST', '/sign-out', { 'sec-fetch-site': 'cross-site' }],
    ['an unknown path', 404, 'GET', '/nothing'],
    ['the prefix', 404, 'GET', ''],
    ['the prefix with a slash', 404, 'GET', '/'],
    ['another method', 405, 'DELETE', '/v1/monitors'],
    ['a path that is not valid', 401, 'GET', '/%zz'],
  ]
  for (const [what, expected, method, path, headers] of cases) {
    test(what, async () => {
      const options = { method, headers: { ...signedIn(), ...headers } }
      const answer = await fetchPage(`${installation.server.url}/app/api${path}`, options)
      assert.deepEqual([answer.status, answer.headers['x-content-type-options']], [expected, 'nosniff'])
    })
  }

  test('a stream of events', async () => {
    await using stream = await listen(installation.server, installation.owner)
    assert.deepEqual([stream.status, stream.headers.get('x-content-type-options')], [200, 'nosniff'])
  })

  test('the preview of a status page', async () => {
    const { id } = await createPage(installation.server.client(), [])
    const url = `${installation.server.url}/app/api/status-pages/${id}/preview`
    const { status, headers } = await fetchPage(url, { headers: signedIn() })
    assert.deepEqual([status, headers['x-content-type-options']], [200, 'nosniff'])
  })

  test('a request that is not valid HTTP', async () => {
    const sent = request('GET', '/app/api/me', ['Host: second'])
    const { status, headers } = await exchange(installation.server.url, sent)
    assert.deepEqual([status, headers.get('x-content-type-options')], [400, 'nosniff'])
  })
})
