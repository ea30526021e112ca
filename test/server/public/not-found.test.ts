import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fetchPage } from '../../publishing/public-site/fixtures.ts'
import { useApi } from '../../support/api.ts'

/** What browsers send. */
const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('an unknown URL', () => {
  const api = useApi('sqlite')

  test('is a page with status 404 in a browser', async () => {
    for (const path of ['/nothing', '/nothing/below?x=1', '/apiary', '/app/assets/nothing.js']) {
      const { status, headers, text } = await fetchPage(`${api.server.url}${path}`, { headers: { accept } })
      assert.equal(status, 404, path)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8', path)
      assert.match(text, /<h1>Page not found<\/h1>/, path)
      assert.ok(headers['content-security-policy'], path)
    }
    const head = await fetchPage(`${api.server.url}/nothing`, { method: 'HEAD', headers: { accept } })
    assert.deepEqual([head.status, head.text], [404, ''])
  })

  test('is a JSON error for other clients, and below the APIs for all', async () => {
    const requests = [
      ...['*/*', 'application/json'].map((accept) => ['/nothing', { headers: { accept } }] as const),
      ...['/api', '/api/v1/nothing', '/api/v2', '/app/api/nothing', '/app/api?x'].map(
        (path) => [path, { headers: { accept } }] as const,
      ),
      ['/nothing', { method: 'POST', headers: { accept } }] as const,
    ]
    for (const [path, options] of requests) {
      const { headers, text } = await fetchPage(`${api.server.url}${path}`, options)
      assert.match(String(headers['content-type']), /^application\/json/, path)
      assert.ok(['not_found', 'unauthorized'].includes(JSON.parse(text).error.code), `${path} ${text}`)
    }
  })
})
