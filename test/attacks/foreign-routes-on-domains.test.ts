import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/server/operations/table.ts'
import { createPage, fetchPage } from '../publishing/public-site/fixtures.ts'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'

forEachEngine('a custom domain serves its page and nothing else', (engine) => {
  const api = useApi(engine, { env: { PHAROS_BASE_URL: 'https://pharos.example' } })

  async function scene(host: string) {
    const [own, other] = [await api.tenant(), await api.tenant()]
    const page = await createPage(own.client, [], { name: 'Own', customDomain: host })
    const foreign = await createPage(other.client, [], { name: 'Other' })
    const ask = (path: string, method = 'GET', headers: Record<string, string> = {}) =>
      fetchPage(`${api.server.url}${path}`, { method, headers: { host, ...headers } })
    return { page, foreign, ask, ...own }
  }

  test('the page of another organization is not there, however its address is written', async () => {
    const { foreign, ask } = await scene('status.one.example')
    const { slug } = foreign
    for (const path of [
      `/status/${slug}`,
      `/status/${slug}/`,
      `/status/${slug}/history`,
      `/status/${slug}/feed.atom`,
      `/status/${slug}/api/v2/summary.json`,
      `/status/${slug}/badge.svg`,
      `/status/%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`,
      `/%73tatus/${slug}`,
      `//status/${slug}`,
      `/status//${slug}`,
      `/./status/${slug}`,
      `/history/../status/${slug}`,
      `/status/${slug}?month=2026-01`,
      `/STATUS/${slug}`,
    ]) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const { status, headers, text } = await ask(path, method)
        assert.ok(status === 404 || (method === 'POST' && headers.location === '/'), `${method} ${path}: ${status}`)
        assert.doesNotMatch(text, /Other/, path)
      }
    }
  })

  test('the APIs, the dashboard, the reference, links and heartbeats are not there', async () => {
    const { ask, client, key } = await scene('status.two.example')
    const { heartbeatUrl } = (await client.post('/monitors', { name: 'Job', type: 'CRON' })).body
    const heartbeat = new URL(heartbeatUrl).pathname
    const keyed = { 'x-api-key': key }
    for (const { method, path } of operations) {
      const { status, headers } = await ask(`/api/v1${path.replace(/:\w+/g, 'x_1')}`, method, keyed)
      assert.deepEqual([status, headers['content-type']], [404, 'text/html; charset=utf-8'], `${method} ${path}`)
    }
    for (const path of ['/app/api/session', '/app/api/v1/monitors', '/app/api/events', '/app/api/openapi.json']) {
      assert.equal((await ask(path)).status, 404, path)
    }
    assert.equal((await ask('/app/api/sign-in', 'POST')).status, 404)
    for (const path of ['/sign-in', '/o/default/', '/docs', '/openapi.json', '/contacts/confirm/x', heartbeat]) {
      assert.equal((await ask(path)).status, 404, path)
    }
    assert.equal((await ask(heartbeat, 'POST')).status, 404)
    assert.equal((await client.get('/monitors')).body.data[0].state, 'PENDING', 'the heartbeat did not count')
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      assert.equal((await ask('/', method)).status, 404, method)
  })

  test('its own page, at its root and at its slug, its stylesheets and health are there', async () => {
    const { page, ask } = await scene('status.three.example')
    for (const root of ['', `/status/${page.slug}`]) {
      for (const path of ['/history', '/feed.rss', '/api/v2/status.json', '/badge.svg']) {
        assert.equal((await ask(`${root}${path}`)).status, 200, `${root}${path}`)
      }
    }
    const { text } = await ask(`/status/${page.slug}`)
    assert.match(text, /<bdi>Own<\/bdi>/)
    const [, stylesheet = ''] = /href="(\/status\/-\/[^"]+)"/.exec(text) ?? []
    for (const path of [stylesheet, '/healthz', '/readyz']) {
      for (const method of ['GET', 'HEAD']) assert.equal((await ask(path, method)).status, 200, `${method} ${path}`)
    }
  })

  test('a name of the server that is not the domain of a page serves everything', async () => {
    const { foreign, key } = await scene('status.four.example')
    for (const path of [`/status/${foreign.slug}`, '/api/v1/monitors', '/openapi.json', '/docs']) {
      const headers = { host: 'server.lan.example', 'x-api-key': key }
      assert.equal((await fetchPage(`${api.server.url}${path}`, { headers })).status, 200, path)
    }
  })
})
